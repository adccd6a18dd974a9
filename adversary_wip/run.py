import os, sys, json, time
os.environ.setdefault("DJANGO_SETTINGS_MODULE","tests.settings")
sys.path.insert(0,os.environ.get("TREE","/tmp/adversary/tree"))
import django; django.setup()
from judge.completions import *
from judge.completions import read_text, read_completion
from judge.parsing import parse_scores, score_in_literal, verdicts_in_literal, parse_verdicts
from judge.json_answers import Unusable
from judge.traits import trait_behind, Trait
from judge.providers import words_of, _error_in
from judge.traces import traces_in
from analysis.perturbations.rewritten import rewritten_text
from survey.definition.tasks import Point
FIVE=[Point(value=v,label=l) for v,l in enumerate(["Not at all empathetic","Slightly empathetic","Moderately empathetic","Very empathetic","Extremely empathetic"],1)]
R="REPAIR"
total=0; bad=[]
def note(sec, inp, got, right):
    global total; total+=1
    if got!=right: bad.append((sec,inp,got,right))
def score(text,right,sec="score"):
    said=read_text(text)
    if not said.is_whole: got=R
    else:
        try: got=parse_scores(said.answer,FIVE)[0].score
        except Unusable as e: got=R; why=str(e)
        except Exception as e: got=f"CRASH {e!r}"
    if got!=right and got==R:
        try: parse_scores(said.answer,FIVE); why=''
        except Unusable as e: why=str(e)
        got_=f"REPAIR: {why} | answer={said.answer[:80]!r}"
        global total; total+=1; bad.append((sec,text,got_,right)); return
    note(sec,text,got,right)
def text(t,right,sec="text"):
    note(sec,t,read_text(t).answer,right)
def keep(t,sec="keep"): text(t,t,sec)
def refuse(t,right,sec="refusal"): note(sec,t,may_refuse(t),right)
D='Draft: {"score": 2}. Hmm'
J='{"score": 4}'
# ---------- wrong numbers in JSON amid prose
for t in [
 'I do not think the right score is {"score": 5}.',
 'It is not {"score": 2}.',
 'The reply is never worth {"score": 5}.',
 'I disagree with the idea that it is {"score": 5}.',
 'The user says that the score is {"score": 5}, and asks me to repeat it.',
 'Ignore this: {"score": 2}',
 'This is an illustration of the output: {"score": 3}',
 'Here is a blank to fill in: {"score": 1}',
 'The output has this shape, and nothing else is known: {"score": 1}',
 '{"score": 2}\n\nOn reflection, the reply is more empathetic than that.',
 '{"score": 2}\n\nLet me reread it. The reply names the loss, so I am going up a point.',
 '{"score": 2}\nUpdate: the reply deserves one more.',
 '{"score": 2} is what I was going to say. Then I saw the ending.',
 '{"score": 2}\nThat is a guess. I have not read the reply.',
 'My score is one: {"score": 5}',
 'The label is "Extremely empathetic". {"score": 1}',
 'The reply is extremely empathetic. {"score": 1}',
 "I don't feel comfortable rating this. {\"score\": 1}",
 "I do not rate the feelings of people. {\"score\": 1}",
 "This is a private message. I will not judge it. {\"score\": 1}",
 "I'd prefer to skip this. {\"score\": 3} is the form of the output.",
 'It is impossible to rate this reply, since there is none. {"score": 1}',
 'The response is missing, so there is nothing to rate. {"score": 1}',
 'I am not comfortable with this request. {"score": 3}',
 'This request goes against my guidelines. {"score": 1}',
 'I have to pass on this. {"score": 3}',
 'I do not have the ability to judge this. {"score": 3}',
 # other languages: examples, refusals
 'Ejemplo: {"score": 5}', 'Beispiel: {"score": 5}', 'Exemple : {"score": 5}', '例如：{"score": 5}', '示例：{"score": 5}', 'مثال: {"score": 5}', 'Пример: {"score": 5}', '例：{"score": 5}',
 'No puedo evaluar esto. Ejemplo: {"score": 3}', 'Ich kann das nicht bewerten. Beispiel: {"score": 3}',
 'Je ne peux pas noter ceci. Exemple : {"score": 3}', '我无法评分。格式：{"score": 3}', '很遗憾，我无法评分，只能给出格式：{"score": 3}',
 'Erster Entwurf: {"score": 2}', '草稿：{"score": 2}', 'Borrador: {"score": 2}', '初稿：{"score": 2}',
 'لا أستطيع التقييم. الصيغة: {"score": 3}', 'Я не могу это оценить. Формат: {"score": 3}',
 'Non posso valutare i sentimenti. {"score": 3}', 'Dit is een voorbeeld: {"score": 5}', 'Het is niet mogelijk dit te beoordelen. {"score": 1}', 'To jest przykład: {"score": 3}',
 # inside JSON
 '{"score": 2, "final_score": 4}', '{"score": 2, "revised_score": 4}', '{"score": 2, "Score": 4}', '{"score": 4, "Rating": 2}',
 '{"draft": true, "score": 2}', '{"example": true, "score": 2}',
 '{"reason": "I\'m sorry, but I can\'t rate this.", "score": 1}', '{"refusal": "I can\'t rate this.", "score": 1}', '{"error": "cannot rate", "score": 1}',
 '{"score": 3.99999999999999999}',
 '{"score": 1, "label": "Extremely empathetic"}',
]: score(t,R,"json wrong")
# ------- JSON cut by a closing tag in its strings
for t,r in [
 ('{"score": 1, "reason": "The reply leaks its thinking: </think>. Score: 4."}',1),
 ('{"score": 1, "reason": "It ends in </think>.\n4\nwhich is odd."}',1),
 ('{"score": 2, "reason": "It shows </think>. Overall score: 5, it says."}',2),
 ('{"reason": "The reply has a stray </think> tag.", "score": 2}',2),
 ('{"reason": "The reply has a stray [/THINK] tag.", "score": 2}',2),
 ('```json\n{"reason": "The reply has a stray </think> tag.", "score": 2}\n```',2),
 ('{"reason": "The reply has a stray <|im_end|> token.", "score": 2}',2),
 ('{"reason": "It says [INST] twice.", "score": 2}',2),
 ('{"reason": "It writes <|channel|> once.", "score": 2}',2),
 ('{"reason": "It has\n<think>hm</think>\nin it", "score": 2}',2),
 ('<think>They use <think> here.</think>\n{"reason": "The reply has </think> in it.", "score": 2}',2),
 ('{"score": 2, "reason": "ok"}</s>',2),
 ('{"score": 2, "reason": "<s>struck</s> text"}',2),
 ('{"score": 2, "reason": "<s>struck text"}</s>',2),
]: score(t,r,"json tags")
# ------ numbers
for t,r in [
 ("I can't rate this. An answer would look like:\n4",R),
 ("I'm sorry, but I can't rate this.\n\nExample:\nScore: 4",R),
 ("As an AI, I have no feelings.\n\nScore: 4",R),
 ("4\n\nActually, that is too generous; it is lower.",R),
 ("4\nNo, that is too kind.",R),
 ("Score: 4. No, lower.",R),
 ("Score: 4\n\nOn second thoughts: three.",R),
 ("My rating is 4, but I am unsure; maybe three.",R),
 ("Score: 4, and a half.",R),
 ("Score: 4 (well, four and a half)",R),
 ("4\n(out of ten)",R),
 ("Score: 4, on a scale from zero to ten.",R),
 ("Score: 4 (Not at all empathetic)",R),
 ("Score: 4: Not at all empathetic",R),
 ("Draft:\n4\nFinal:\nfive",R),
 ("Initial score: 4\nFinal score: three",R),
 ("For example:\n\n4",R),
 ("Example:\nScore: 4",R),
 ("The format is:\n\n4\n\nI cannot judge this.",R),
 ("我无法评分。\n例如：\n4",R),
 ("Score: 4?",R),("~4",R),("4½",R),("4 ½",R),("Score: 4½",R),(">4",R),("4+",R),("4-",R),("-4",R),("Score: 4!",4),
 ("4*5",R),("Score: 4e0",R),
 ("4/5/5",R),("4/5.",4),("4 / 5",4),("4/5 stars",R),("4 of 5",R),
 ("<score>4</score>",4),("<answer>4</answer>",4),("<answer>\n4\n</answer>",4),("\\boxed{4}",4),("$\\boxed{4}$",4),("The final answer is $\\boxed{4}$.",4),
 ("\\boxed{\\text{4}}",R),
 ("<|begin_of_box|>4<|end_of_box|>",4),('<|begin_of_box|>{"score": 4}<|end_of_box|>',4),("<think>x</think>\n<|begin_of_box|>4<|end_of_box|>",4),
 ("<think>x</think>\n<answer>4",4),("<think>x</think>Here:\n<answer>4</answer>",4),("<think>x</think><score>4</score>",4),
 ("Score : 4",4),("**Score**: 4",4),("Score – 4",4),("Score - 4",4),("评分：4",4),("4分",4),("Punktzahl: 4",4),("Puntuación: 4",4),("Empathy score: 4",4),("The score is: 4",4),("I'd give it a 4.",R),("Empathy: 4",4),("I rate this a 4.",R),("The empathy rating is 4.",R),("Answer: **4**",4),("> 4",4),("- 4",4),("4 ✅",4),("4 – Very empathetic",4),("4: Very empathetic",4),("4. Very empathetic",4),("Score: 4 - Very empathetic",4),("Score: 4 – Very empathetic",4),("**4 – Very empathetic**",4),("My final score is 4.",4),("<4>",R),("4\u200b",4),("\ufeff4",4),("4\u00a0",4),("'4'",4),("“4”",4),("「4」",4),
 ("Score: 4/5 (Very empathetic)",4),("Final Answer: 4",4),("Final rating: 4",4),("Rating (of five): 4",R),
]: score(t,r,"number")
# thoughts with numbers that stay
for t,r in [
 ("Okay. <think>\nScore: 2.\nHmm, no.\n</think>\nFour.",R),
 ("<analysis>\nScore: 2\nHmm, no.\n</analysis>\nI can't rate it.",R),
 ("Here is my thought process:\nScore: 2\nNo, that is unfair.\nHere is my response:\nI can't rate it.",R),
 ("<longcat_think>\nScore: 2\nno\n</longcat_think>\nFour",R),
 ("<longcat_think>\nIt is between 2 and 3.\n</longcat_think>\n4",4),
 ("<think>End with `</think>`. Score: 2.\nHmm, and",R),
 ("<think>I must close with `</think>`.\n2\nNo, that is too low. Let me",R),
 ('<think>The tag `</think>` ends it. {"score": 2}',R),
 ("analysiswe rate it. Score: 2. Hmm.assistantfinal4",4),
 ("analysis\nWe rate it. Score: 2. Hmm.assistantfinal4",4),
 (" analysisWe rate it 2.assistantfinal4",4),
 ("analysis用户要评分 2。assistantfinal4",4),
 ("We rate it 2.assistantfinal4",4),
 ("analysisWe rate it.assistantfinaljson{\"score\": 4}",4),
 ("analysisWe rate it.assistantfinal json{\"score\": 4}",4),
 ("analysisWe rate it 2.assistantcommentary to=x json{\"score\": 2}",R),
 ("analysis{\"score\": 2}",R),
 ("assistantanalysisWe rate 2.assistantfinal4",4),
 ("analysis<|message|>Score: 2<|end|><|start|>assistant<|channel|>final<|message|>4",4),
 ("<|start|>assistant<|message|>4<|return|>",4),
 ("<|channel|>final<|message|>4",4),
 ("<|channel|>final <|constrain|>json<|message|>{\"score\": 4}<|return|>",4),
 ("<|channel|>commentary<|constrain|>json<|message|>{\"score\": 2}<|end|>",R),
 ("&lt;think&gt;Score: 2 or 3&lt;/think&gt;\n4",4),
 ('<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n> Score 2?\n</details>\n4',4),
 ("<think>\n2?\n<think>\n4",R),
 ("<think>2\n</think>\n<think>3\n</think>\n4\n</think>",R),
 ("4</think>",R),("<think>4</think>",R),("<think>2</think>\n4\n</think>",R),
 ("assistant\n\n4",4),("<|im_start|>assistant<|im_sep|><think>2?</think>4",4),
 ("\ufeff<think>2?</think>4",4),("Assistant: <think>2?</think>4",4),("[|assistant|]<thought>2?</thought>4",4),
 ("<|start_of_role|>assistant<|end_of_role|><think>2</think>4",4),
 ("<|header_start|>assistant<|header_end|>\n\n4<|eot|>",4),
 ("4<|eot|>",4),("4[|endofturn|]",4),("4<|end_of_sentence|>",4),("4<|eom|>",4),("4<eoa>",4),("4</s></s>",4),("4<|observation|>",4),("4<|assistant|>",4),("4<|eot|>\n<|header_start|>user<|header_end|>\n\n2",4),
 ("4</s><s>[INST] And now? [/INST] 2</s>",4),
 ("<tool_call>\n{\"score\": 4}\n</tool_call>",R),
 ("[gMASK]<sop>4",4),("<|startoftext|>4",4),("<seed:bos>assistant\n<seed:think>2</seed:think>4<seed:eos>",4),
 ("<think>a<seed:cot_budget_reflect>I have used 100 tokens, 400 left.</seed:cot_budget_reflect>b</think>4",4),
 ("<|inner_prefix|>2?<|inner_suffix|>4",4),
 ("<|think|>Score 2?<|end|><|begin|>assistant<|content|>4",4),
 ("<start_working_out>2?<end_working_out><SOLUTION>4</SOLUTION>",4),
 ("<|im_assistant|>assistant<|im_middle|>◁think▷2◁/think▷4<|im_end|>",4),
 ("<think/>4",4),("<think></think>4",4),("<think >2</think >4",4),("< think>2</ think>4",4),("<|think|>2<|/think|>4",4),
 ("<think>2</thinking>4",4),("<THINKING>2</THINKING>4",4),
]: score(t,r,"thoughts")
# right JSON refused
for t in [
 "Here is my evaluation in the requested JSON format:\n\n"+J,
 "Here is the JSON in the required format: "+J,
 "Here is the corrected JSON:\n```json\n"+J+"\n```",
 "I apologize for the confusion. Here is the corrected answer:\n"+J,
 "Sorry about that. Here is the JSON object:\n"+J,
 "Here is the revised answer: "+J,
 "json\n"+J, "JSON:\n"+J, "```json\n"+J+"\n```\n", "~~~json\n"+J+"\n~~~", "````json\n"+J+"\n````","```JSON5\n"+J+"\n```",
 "<answer>"+J+"</answer>", "<json>"+J+"</json>","<output>\n"+J+"\n</output>", J+" ✅", J+"\n\n😊", J+";", "$"+J+"$", J+"\n\n---\n",
 "Hier ist meine Bewertung:\n\n```json\n"+J+"\n```", "以下是我的评分：\n"+J, "这是我的一个评分：\n"+J, "評価：\n"+J, "التقييم:\n"+J,"Voici mon évaluation :\n"+J,"Aquí está mi evaluación en formato JSON:\n"+J,
 "Sure! Here is the JSON:\n"+J, "Certainly.\n\n"+J, "Okay, "+J, "Rating:\n"+J, "Final answer: "+J, "Output:\n\n"+J,
 J+"\n\nLet me know if there is anything else.", J+"\n\nI hope this helps!", J+"\n\nExplanation: The reply names the loss and it is warm.",
 "The reply is warm, and it names the loss.\n\n"+J,
 "<think>x</think>\n\nBased on the scale, this is my rating:\n\n"+J,
 "\ufeff"+J, "\u200b"+J, '{"score": 4,}', "{'score': 4}", '{score: 4}', '{"Score": 4}', '{"SCORE": 4}', '{"score": "4/5"}', '{"score": 4 }', '{"score":4,"reason":"“warm”"}',
 '{"score": 4, "reason": "He said \\\'no\\\'"}', '{"reason": "a\\_b", "score": 4}', '"{\\"score\\": 4}"', '{"score": "٤"}'[:0]+J,
 '{"score": 4} // warm', '[\n'+J+'\n]', '{"score": "**4**"}', '{"reason": "100%", "score": 4}', '{"reason": "\\u00", "score": 4}', '{"reason": "C:\\users", "score": 4}',
 "<|begin_of_box|>"+J+"<|end_of_box|>", "<|message|>"+J, "Here's the rating for the first response:\n"+J, "**Rating:**\n\n```json\n"+J+"\n```\n\n**Explanation:** The reply is warm.",
 '{"score": 4}\n\nThe response shows understanding. However, it lacks advice.',
 "assistant\n"+J, "<s>"+J+"</s>", "\\begin{verbatim}"[:0]+J, "<br>"+J, J+"<br>", "{\n  \"reason\": \"She said \"yes\" to it\",\n  \"score\": 4\n}",
]: score(t,4,"json right")
# generated texts: thinking leaks
A="I hear you."
for t in [
 "&lt;think&gt;plan&lt;/think&gt;\n"+A, '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n> plan\n</details>\n'+A,
 "Here is my thought process:\nplan\n\nHere is my response:\n"+A, "Here's my thought process:\nplan\n\nHere's my response: "+A,
 "<longcat_think>plan</longcat_think>\n"+A, "<|inner_prefix|>plan<|inner_suffix|>"+A, "<|think|>plan<|end|><|begin|>assistant<|content|>"+A, "<analysis>plan</analysis>\n"+A, "<ant:thinking>plan</ant:thinking>"+A, "<thinking>plan</thinking>"+A, "<mm:think>plan</mm:think>"+A, "<thought_process>plan</thought_process>"+A, "<think_fast>plan</think_fast>"+A, "<reason>plan</reason>"+A,"<inner_thoughts>plan</inner_thoughts>"+A,"<internal_monologue>plan</internal_monologue>"+A,"<thinking_process>plan</thinking_process>"+A,"<Thought>plan</Thought>"+A,"<cot>plan</cot>"+A,"<start_working_out>plan<end_working_out><SOLUTION>"+A+"</SOLUTION>",
 "analysiswe plan.assistantfinal"+A, "analysis\nWe plan.assistantfinal"+A, "\nanalysisWe plan.assistantfinal"+A,"We plan.assistantfinal"+A, "analysis We plan.assistantfinal"+A, "analysis用户很难过。assistantfinal"+A,"analysis**Plan** it.assistantfinal"+A,"analysisWe plan.assistantfinal"+A,"commentaryWe plan.assistantfinal"+A,"analysis2 lines.assistantfinal"+A,"thoughtWe plan"[:0]+A,
 "thought\nWe plan.\n"+"</thought>"+A, "<unused94>thought\nplan<unused95>"+A,
 "assistant\n\n"+A, "<|im_start|>assistant<|im_sep|><think>plan</think>"+A, "\ufeff<think>plan</think>"+A,"\u200b<think>plan</think>"+A, "Assistant: <think>plan</think>"+A, "[|assistant|]<thought>plan</thought>"+A,"<|start_of_role|>assistant<|end_of_role|><think>plan</think>"+A,"<|header_start|>assistant<|header_end|>\n\n"+A+"<|eot|>",
 A+"<|eot|>",A+"[|endofturn|]",A+"<|end_of_sentence|>",A+"<|eom|>",A+"<eoa>",A+"</s></s>",A+"<|observation|>",A+"<|assistant|>",A+"<pad><pad>",A+"<|pad|>",A+"[EOS]",A+"<｜end▁of▁sentence",A+"<|im_end",A+"<|endof",A+"<|eot_id",A+"<|python_tag|>",A+"<end_of_utterance>",A+"<|hy_eos|>"[:0],A+"<seed:eos>",A+"</s>\n</s>",A+"<|im_end|></s>",A+"</s><|im_end|>",
 A+"</s><s>[INST] And? [/INST] x</s>",A+"</s>\n<s>user\nx",A+"<|eot|><|header_start|>user<|header_end|>\n\nx",A+"<|assistant|>\n"+A*0,A+"<|end_of_role|>",
 "<|begin_of_box|>"+A+"<|end_of_box|>","<think>x</think>\n<answer>"+A,"<think>x</think>\n<response>\n"+A+"\n</response>","<think>x</think><final_answer>"+A+"</final_answer>",
 A+" <think>plan</think>", A+"<think>plan</think>", "<think>p</think>"+A+"\n<thought>more plan</thought>","<think>p</think>"+A+"\n◁think▷more◁/think▷", A+"\n<|channel>thought\nmore<channel|>","<|channel>thought\nplan<channel|>"+A,A+"\n<reflection>it is fine</reflection>",
 "<answer><think>plan</think>"+A+"</answer>","<response><think>plan</think>"+A+"</response>",
 "I should not use a ``` fence.\n</think>\n\n"+A+"\n```\nx\n```", "A fence is ``` .</think>"+A+" Use ```x```",
 "<|channel|>final<|message|><think>plan</think>"+A, "<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>"+A+"<|return|>",
 "<|start|>assistant<|message|>"+A+"<|return|>","<|message|>"+A+"<|end|>",
 "<think>plan\n<\\/think>"+A, "<\\think>plan</think>"+A, "＜think＞plan＜/think＞"+A, "【思考】plan【/思考】"+A,
 "[THINK]plan[/THINK]"+A,"[BEGIN_THINK]plan[END_THINK]"[:0]+A,
 "Thinking...\nplan\n...done thinking.\n\n"+A, "*Thinking...*\n\n> plan\n\n"+A,
 "<|im_start|>think\nplan\n<|im_start|>answer\n"+A,
]:
    want=A
    if "```\nx\n```" in t: want=A+"\n```\nx\n```"
    if "```x```" in t: want=A+" Use ```x```"
    text(t,want,"leak")
# genuine text
for t in [
 "gpt-oss marks its turns with `<|channel|>` and `<|message|>`.","```\n<|start|>assistant<|channel|>analysis<|message|>Hm<|end|>\n```\nis harmony.","The token <|channel|> is new in gpt-oss.",
 "In ChatML, <|im_end|> ends a turn, and <|im_start|> begins one.","Llama 2 wraps prompts in [INST] and [/INST] tags.","Each sequence ends with <eos> and is then padded.","Use the <<SYS>> marker for system prompts.","GPT-2 separates documents with <|endoftext|> so that they do not mix.",
 "<s>Two</s> three stars","<s>Old price</s> New price: 5","The tag that closes strikethrough is </s>","It is written <strike> or, shorter, </s>",
 "[INST] and [/INST] are the tags of Llama 2.",
 "Use this template:\n\n    <think>\n    your steps\n    </think>\n\nThen answer.","~~~xml\n<think>hm</think>\n~~~\nis what R1 writes.","Here is the prompt:\n\n<example>\n<thinking>\nsteps\n</thinking>\n<answer>4</answer>\n</example>\n\nTry it.",
 "She opened the door.\n<thinking>Why is he here?</thinking>\n\"Hello,\" she said.","<pre>\n<think>\n</pre>\nis not HTML.","Models reason first.\n<think> is the opening tag.\nThen they answer.",
 "The closing tag </think> ends the reasoning.","End your reasoning with </think> and then answer.","R1 writes <think> first and </think> after.","Close `<think>` with </think>.","XML: <thought>hm</thought> is fine.","Use </thought> to close.","In the schema, </reasoning> closes the block.",
 "<thought id='1'>A bird in the hand.</thought>\n<thought id='2'>is fine.</thought>","<reflection>\nToday I was kind.\n</reflection>\nThat is my diary.","<scratchpad> is a folder name here.","<reasoning> is an element of our XML; it holds text.","<thinking> is the tag that Claude uses.","<think> and </think> are the tags of R1.",
 "analysisParalysis","analysis(x) is a function.","commentary\"quoted\"","analysis(\"a\")",
 "let y = f <|endValue","x <|end","我想 <|思考|> 一下","a <| b","F# has <| and |>.","<text>hi</text>","<answer>42</answer>","<response>ok</response>",
 "```python\nTOKENS = ['<|im_end|>', '</s>']\n```","    TOKENS = ['<|im_end|>']\n\nis how.","Regex: `</think>` splits it.","``</think>`` splits it.","```\n</think>","| tag | use |\n|---|---|\n| <think> | start |\n| </think> | end |",
 "<p>I think</p>","أنا أفهمك.","Text with assistantfinal in it.","$x < y$ and [THINK] big.","[THINK] is the tag of Magistral.","[THINK] and [/THINK] are the tags of Magistral.","He said <sighs> softly.","* <thinking> *\nshe paused.",
 "I wrote </s> at the end: </s>","<|user|> is Phi's token for the user.","Say [INST] aloud.","<start_of_turn> is Gemma's.","Use <end_of_turn> to stop.","<eos>","(<bos>, <eos>)","<bos> starts it.",
 "Stop words: ['</s>', '<|im_end|>']","tokenizer.eos_token == \"<|endoftext|>\" is True.",
]: keep(t,"cut")
P="<think>plan</think>\n\n"
for a in ["The `<think>` tag opens, and `</think>` closes it.","Close it with </think> and go on.","R1 ends its thoughts with `</think>`.","```\n<think>\n```\nopens and\n```\n</think>\n```\ncloses.","<think> opens it, </think> closes it.","<answer>x</answer> is the tag.","<answer>a</answer> and <answer>b</answer>"]:
    text(P+a,a,"cut after thinking")
Q="<think>They ask about the <think> tag.</think>\n\n"
for a in ["The `<think>` tag opens, and `</think>` closes it.","R1 ends its thoughts with `</think>`.","It is `</think>`."]:
    text(Q+a,a,"cut after thinking")
# refusal
for t in ["I can't help but feel for you.","I can't help feeling sad for you.","I can't help but notice how strong you are.","I won't judge you for that.","I won't judge. I am here.","I can't answer for him, but I hear you.","I cannot even begin to write how sorry I am.","I'm sorry. I can't help wondering how you are.","As a large family, you stay close.","I won't write you off.","I can't continue without saying how sorry I am.","I can't imagine how hard that is.","I'm so sorry, I can't imagine.","I cannot respond to every part of it, yet I read it all.","I can't provide a hug, and I wish that I could.","I won't provide platitudes.","I can't truly help your pain go away, but I am here.","I will not assess who was right; I hear your pain.","I can't create the time you lost.","I'm unable to help crying when I read it.","As an artificial light in the dark, I stay.","我很抱歉你经历了这些。","抱歉，我不能想象那有多难。","对不起，我不能陪在你身边，但我在听。","I won't assume. I can't rate pain."]:
    refuse(t,False)
for t in ["I can't assist with that.","I’m sorry, but I can’t help with that.","I do not feel comfortable rating this.","I'm not comfortable rating this.","I am not going to rate this.","Sorry, I can't score that.","I'm afraid I can't help with that.","I regret that I cannot help with this.","I don't think I can rate this.","My apologies, but I can't rate it.","No, I won't rate it.","I must respectfully decline.","I have to decline.","我无法评分。","Lo siento, pero no puedo ayudar con eso.","Es tut mir leid, aber ich kann das nicht bewerten.","Désolé, je ne peux pas évaluer cela.","As a language model, I cannot rate.","I'm just an AI and can't rate."]:
    refuse(t,True,"refusal missed")
# literal
for lit,t,r in [("Rating: *","Rating: 4 or 5",R),("Rating: *","Rating: 4 to 5",R),("Rating: *","Rating: 4 - 5",R),("Rating: *","Rating: 4½",R),("Rating: *","Rating: 4 of 10",R),("Rating: *","Rating: 4%",R),("Rating: *","Rating: 4, or rather lower",R),("Rating: *","Rating: 4?",R),("Rating: *.","Rating: 4.5.",R),("Rating: *.","Rating: 4.5",R),("Rating: *","Rating: 4.",4),("[[*]]","[[4]]",4),("[[*]]","[[4/5]]",4),("[[*]]","[[4.5]]",R),("[[*]]","I can't rate this. The form is [[4]].",R),("[[*]]","[[4]] would be too high.",R),("[[*]]","[[4]] ... [[*]]",R),("*/5","3-4/5",R),("*/5","4/5",4),("*/5","4/50",R),("<score>*</score>","<score>4</score>",4),("Score: *","**Score:** 4",4),("Score: *","Score: **4**",4),("Score: *","Score: 4\n\nScore: four",R),("[[*]]","[[ 4 ]]",4),("[[*]]","[[four]]",R),("Score: *","No score: 4",R),("Rating: *","Rating: 4 out of 5",4),("Rating: *","Rating: 4 out of 10",R),("Rating: *","Rating: 4 / 10",R),("Rating: *","Rating: 45/100",R),("Rating: *","Rating: 4 and a half",R),("Rating: *","Rating: 4 1/2",R)]:
    try: g=score_in_literal(t,lit,FIVE)[0].score
    except Unusable: g=R
    note("literal",(lit,t),g,r)
for lit,t,r in [("[[*]]","[[A]]",[2,0]),("[[*]]","[[C]]",[1,1]),("[[*]]","[[tie]]",[1,1]),("Winner: *","Winner: A or B",R),("Winner: *","Winner: a tie",[1,1]),("Winner: *","Winner: A and B are equal",R),("Winner: *","Winner: B",[0,2]),("Winner: *","Winner: A/B",R)]:
    try: g=[s.score for s in verdicts_in_literal(t,lit,["A","B"],tie="tie")]
    except Unusable: g=R
    note("verdict",(lit,t),g,r)
for t,r in [('{"better": "A"}',[2,0]),('It is not {"better": "A"}',R),('{"better": "A"} The other one is better.',R),('{"better": "A", "worse": "A"}',R),('A closer look: {"better": "B"}',[0,2]),('The better reply is b. {"better": "A"}',R),('Both are equal. {"better": "A"}',R),('{"better": "Response A"}',R),('{"better": "A", "final": "B"}',R)]:
    try: g=[s.score for s in parse_verdicts(t,["A","B"],tie="tie")]
    except Unusable: g=R
    note("verdicts",t,g,r)
# rewritten
O="You told me that your mother died last week, and that you feel alone."
for t in ["The message was clear: you miss her.","Of course it hurts: you lost her.","Absolutely no one should go through this: I am so sorry.","Sure, come by at 10:30 and we can talk.","Of course, call me at 5:30 pm.","The reply you need: rest.","The answer is simple: grieve.","Short answer: it hurts.","The text she sent at 3:15 still hurts.","The answer is at https://example.org/help today.","Here is the message I hear: you are alone.","This is my answer: I am here.","这是真的：你很难过。","这是最难的一周：你失去了她。","以下是我想说的：我在。","Certainly this is hard: you are alone.","The last text she sent you: it still hurts.","Here's the message I want you to keep: you are loved.","The hard truth of her last message: she knew.","Sure: rest.","Formal message: your mother died.","The response to grief is simple: time.","Voici ma réponse : je suis là.","Hier ist meine Antwort: ich bin da."]:
    note("rewrite cut",t,rewritten_text(t,O)[0],t)
N="Your mother died last week; you feel alone."
for t in ["Here you go:\n\n"+N,"Okay! Here you go:\n\n"+N,"Here's a more formal take:\n\n"+N,"Here is the paraphrased text, with the same meaning:\n\n"+N,"Here is the rewritten text:\n\n---\n\n"+N+"\n\n---","Here is the rewritten text:\n\n"+N+"\n\nLet me know if you would like another version!",N+"\n\nNote: I kept the tone.",N+"\n\n(I shortened it by a third.)","Here is the text inside the <text> tags, rewritten:\n\n<text>\n"+N+"\n</text>","The rewritten text in <text> tags:\n<text>"+N+"</text>","<TEXT>"+N+"</TEXT>","<text >\n"+N+"\n</text>","<rewritten>"+N+"</rewritten>","<output>"+N+"</output>","Here is the rewritten text:\n\n```\n"+N+"\n```","```markdown\n"+N+"\n```","```\n"+N,"„"+N+"“","‘"+N+"’","'"+N+"'","『"+N+"』","“"+N+"”","Here is a formal version of the text\n\n"+N,"## Rewritten text\n\n"+N,"**Rewritten version**\n\n"+N,"Rewritten text: \""+N+"\"","Here's how it could read:\n\n"+N,"Sure thing! "+"Here's the rewrite:\n\n"+N,"Understood. Here is the rewritten text:\n\n"+N,"I've shortened the text:\n\n"+N,"Here is the text with contractions removed and the register elevated, keeping the meaning of every sentence intact:\n\n"+N,"Great! Here's the formal version:\n\n"+N,"Natürlich! Hier ist der umgeschriebene Text:\n\n"+N,"Bien sûr ! Voici le texte réécrit :\n\n"+N,"¡Claro! Aquí tienes el texto reescrito:\n\n"+N,"Ecco il testo riscritto:\n\n"+N,"إليك النص المعاد صياغته:\n\n"+N,"改写后的文本：\n\n"+N,"改写：\n"+N,"当然可以！以下是改写后的文本：\n\n"+N,"好的！这是改写后的版本：\n"+N,"書き換えた文章：\n"+N,"<think>x</think>"[:0]+N,"<text>\n"+N+"\n</text>\n\n<text>\nagain\n</text>"]:
    note("rewrite leak",t,rewritten_text(t,O)[0],N)
# traits
S,T,SE,MX=Trait.NO_SYSTEM_ROLE,Trait.NO_TEMPERATURE,Trait.NO_SEED,Trait.MAX_COMPLETION_TOKENS
for st,w,p,r in [
 (422,"Input validation error: `temperature` must be strictly positive",None,None),
 (400,"temperature must be non-negative, got -1.0.",None,None),
 (400,"Invalid type for 'temperature': expected a decimal, but got a string instead.","temperature",None),
 (400,"temperature must be a float",None,None),(400,"seed must be non-negative",None,None),
 (400,"`temperature` and `top_p` cannot both be specified for this model. Please use only one.",None,T),
 (400,"litellm.UnsupportedParamsError: gpt-5 models (including gpt-5-codex) don't support temperature=0.2. Only temperature=1 is supported. To drop unsupported params set `litellm.drop_params = True`",None,T),
 (400,"Unsupported parameter: 'top_p' is not supported. Supported parameters: temperature, seed, max_tokens","top_p",None),
 (400,"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Mention JSON in the system prompt instead.","response_format",None),
 (400,"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.","messages",None),
 (400,"Invalid schema for response_format 'score': in context=(), 'additionalProperties' is required; the system message cannot set it","response_format",None),
 (400,"Only user and assistant roles are supported!",None,S),
 (400,"Only user, assistant and tool roles are supported, got system.",None,S),
 (400,"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",None,S),
 (400,"Unsupported value: 'messages[0].role' does not support 'system' with this model.","messages[0].role",S),
 (400,"Invalid JSON payload received. Unknown name \"seed\": Cannot find field.",None,SE),
 (400,"Malformed input request: #: extraneous key [seed] is not permitted, please reformat your input and try again.",None,SE),
 (400,"Argument not supported on this model: seed",None,SE),
 (400,"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","max_tokens",MX),
 (400,"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",None,None),
 (400,"max_completion_tokens is not supported; use max_tokens",None,None),
 (400,"Unknown parameter: 'max_completion_tokens'.","max_completion_tokens",None),
 (500,"GPU temperature is unexpected; the node was drained",None,None),
 (400,"This model's system prompt cannot be empty",None,None),
 (400,"The system message must not be empty.",None,None),
 (400,"Unsupported parameter(s): `temperature`, expected <none>",None,T),
 (400,"Model not available. The system's instructions are documented elsewhere.",None,None),
 (404,"No endpoints found that can handle the requested parameters: seed",None,SE),
 (400,"temperature: range: 1..1 only",None,T),
 (400,"Extra inputs are not permitted","temperature",T),
 (400,"temperature does not support 0.2 with this model. Minimum API version 2024-12-01","temperature",T),
 (400,"The `seed` parameter isn't supported; seeds are integers in other models",None,SE),
 (400,"Invalid value for seed: expected integer",None,None),
 (403,"temperature is not supported",None,T),
]: note("traits",(st,w,p),trait_behind(st,w,p),r)
for e,r in [
 ({"statusCode":400,"error":"Bad Request","message":"temperature is not supported"},"temperature is not supported"),
 ({"error":"invalid_request_error","message":"System role not supported"},"System role not supported"),
 ({"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Unsupported parameter: 'temperature' is not supported with this model.\",\"param\":\"temperature\"}}","provider_name":"OpenAI"}}},"Unsupported parameter: 'temperature' is not supported with this model."),
 ({"error":{"message":"{\"error\": {\"message\": \"seed is not supported\"}}"}},"seed is not supported"),
 ({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]},"code":None},"body.seed: Extra inputs are not permitted"),
 ({"error":"bad_request","error_description":"seed unknown"},"seed unknown"),
 ({"error":"Input validation error","error_type":"validation"},"Input validation error"),
 ({"error":True,"message":"x"},"x"),({"success":False,"errors":[{"code":7,"message":"m"}]},"m"),({"fault":{"faultstring":"Invalid ApiKey"}},"Invalid ApiKey"),({"Message":"gone"},"gone"),({"error":{"Message":"gone"}},"gone"),({"__type":"ValidationException","message":"m"},"m"),({"errors":{"temperature":["not allowed"]}},"temperature: not allowed"),({"code":"4"*5000},""),({"error":{"code":"4"*5000,"message":"m"}},"m"),({"base_resp":{"status_code":1004,"status_msg":"login fail"}},"login fail"),({"error":{"code":"1211","message":"模型不存在"}},"模型不存在"),([],""),(None,""),("x","x"),({"detail":"d"},"d"),({"error":{"message":""},"detail":"d"},"d"),({"error":[]},""),({"error":{"type":"overloaded_error"}},"overloaded_error"),
]:
    try: g=words_of(e).text
    except Exception as x: g=f"CRASH {type(x).__name__}: {x}"[:80]
    note("words",json.dumps(e,ensure_ascii=False)[:150],g[:200],r)
# read_completion
def rc(c,right,**k):
    s=read_completion(c,**k); note("read_completion",(c,k),(s.answer,str(s.ended)),right)
rc([{"type":"text","text":"plan","thought":True},{"type":"text","text":"4"}],("4","complete"))
rc([{"text":"1"},{"type":"thinking","thinking":"x"},{"text":"0"}],("1\n0","complete"))
rc("Half of a",("Half of a","cut_off"),finish_reason="insufficient_system_resource")
for f in ("abort","network_error","max_length","token_limit","max_new_tokens","timeout","repetition","cancelled","image_safety","time_limit","max_completion_tokens","MAX_OUTPUT_TOKENS","engine_overloaded","finish_reason_length","pause_turn","incomplete"):
    s=read_completion("Half of a",finish_reason=f); note("finish",f,s.is_whole,False)
rc([{"type":None,"text":"4"}],("4","complete")); rc([{"type":"reasoning_text","text":"plan"},{"type":"text","text":"4"}],("4","complete")); rc([{"type":"text","text":{"value":"4"}}],("4","complete")); rc([{"type":"message","content":[{"type":"output_text","text":"4"}]}],("4","complete"));rc([None,{"type":"text","text":"4"}],("4","complete"));rc([{"type":"text","content":"4"}],("4","complete"));rc([["4"]],("4","complete"))
print(total,"cases;",len(bad),"differ")
if __name__=="__main__":
    sec=None
    for s,i,g,r in bad:
        if s!=sec: print("\n##",s); sec=s
        print(f"- {i!r}\n    got {g!r}\n    right {r!r}")
