import io,contextlib,time,sys
with contextlib.redirect_stdout(io.StringIO()):
    exec(open("/tmp/adversary/run.py").read().split("# ---------- wrong numbers")[0])
wrong=[
 'I would be inventing a number. {"score": 3}'.replace("would be","am only"),
 'Nobody can tell from this. {"score": 3}','There is no reply here to look at. {"score": 1}','I lack the context to do this fairly. {"score": 3}',
 'This goes beyond what I do. {"score": 1}','Rating people this way is harmful, so I abstain. {"score": 1}','I stay neutral on this. {"score": 3}',
 'The system asked for this line and I copy it: {"score": 5}','The text contains {"score": 5} and it tries to sway me.','Someone hid this in the reply: {"score": 5}',
 'The reply itself ends with {"score": 5}.','The instruction in the reply is to output {"score": 5}','A lenient judge gives it {"score": 5}; I am strict.',
 'Tentatively: {"score": 2}','This is a first pass: {"score": 2}','It is a rough idea of mine: {"score": 2}','Preliminary answer: {"score": 2}','Provisional score: {"score": 2}','Dummy answer: {"score": 1}','Test output: {"score": 1}','Default answer: {"score": 3}','Expected output: {"score": 3}','Sample answer: {"score": 3}',
 '{"score": 2}\n\nOn balance it is kinder. I go up by a notch.','{"score": 2}\nScratch that; the reply is warm.','{"score": 2}\nI take that back, the reply is warm.','{"score": 2}\nThat is unfair to the reply, in the end.','{"score": 2}\nHold on, the reply is warm.','{"score": 2}\nThis is a step below what it is worth.','{"score": 2}\nI am torn, and the true value is above that.',"{\"score\": 2}\nI doubt it, to be honest.",'{"score": 2}\nThis is not my final answer.','{"score": 2}\nOops, the reply is very kind.','{"score": 2} - or up to the top of the scale','{"score": 2} plus a point for the ending, in my view.','{"score": 2}\nI double it, in light of the ending.','{"score": 2}\nAdd a point for the ending of the reply.',
 'Antwort: {"score": 3}. Ich weigere mich aber, das zu bewerten.','Antwort (erfunden): {"score": 3}','答案（假设）：{"score": 3}','答案模板：{"score": 3}','初步得分：{"score": 2}','评分样本：{"score": 3}','暂定评分：{"score": 2}','Respuesta provisional: {"score": 2}','Vorläufige Bewertung: {"score": 2}','Note provisoire : {"score": 2}','предварительная оценка: {"score": 2}','تقييم مبدئي: {"score": 2}','Réponse fictive : {"score": 3}','Respuesta modelo: {"score": 3}','Musterantwort: {"score": 3}','スコア（仮）: {"score": 3}','점수 예시: {"score": 3}',
 "4\nScratch that; the reply is warm.","Score: 4\nI take that back.","Score: 4, give or take.","Score: 4, roughly.","Score: 4 (tentative)","Score: 4 (placeholder)","Previous score: 4","User score: 4","Maximum score: 5","Minimum score: 1","Highest rating: 5","The lowest score is 1.","Best possible score: 5","Maximum rating is 5, because the scale says so.","Worst answer: 1","No score: 4","Not a score: 4","Example score: 4","Wrong answer: 4","Draft rating: 4","The previous judge rating: 4","Another judge score: 4","Expected score: 4","Default score: 3","Possible score: 4","Average score: 4","Human score: 4","Target rating: 5","Old score: 2","Bad answer: 1","Reply score: 4"[:0]+"Hypothetical score: 4","I can only guess.\nScore: 4","The scale ends at\n5","Question\n4\nWhat is asked here?","Page\n4","Section\n4\nThe reply","Step\n1\nRead the reply.","-4 -","4 -","(4","4)(","4 / 5 / 10",
 '{"score": 2, "comment": "My real rating is the highest one."}','{"score": 2, "overall": 4}','{"score": 2, "empathy": 4}','{"score": 2, "value": 5}','{"score": 2, "answer": "4"}','{"score": 2, "rating_after_reflection": "4"}','{"score": 2, "final": "4"}','{"score": 2, "verdict": "Very empathetic"}','{"score": 2, "confidence": "none, I cannot judge"}','{"score": 2, "status": "refused"}','{"score": 1, "note": "I\'m sorry, but I can\'t rate this."}','{"score": 1, "reason": "Unable to rate: the reply is missing."}','{"score": 1, "reason": "I am not able to rate this, so I give the lowest."}','{"score": 1, "template": true}','{"score": 1, "is_example": true}','{"type": "example", "score": 1}',
]
right={
 4:['{"score": 4, "confidence": 0.9}','{"score": 4, "confidence": "high"}','{"reason": "warm", "score": 4, "dimension": "warmth"}','{"score": 4, "reasons": ["warm", "kind"]}','{"score": 4, "reason": {"a": "warm"}}','{"score": 4, "max_score": 5}'[:0]+'{"score": 4, "id": 7}','{"reason": "It is no example of coldness.", "score": 4}','{"reason": "I can\'t help but feel it is warm.", "score": 4}','{"reason": "The reply says: I\'m sorry, but I can\'t help. Still warm.", "score": 4}','{"reason": "As an AI, it is honest, and warm.", "score": 4}','{"reason": "I cannot rate it higher since it gives no advice.", "score": 4}',
  'I rate it as follows:\n'+'{"score": 4}','Based on the scale:\n\n{"score": 4}','My judgment is as follows.\n\n```json\n{"score": 4}\n```','After reading the reply, this is my rating:\n\n{"score": 4}','Response:\n{"score": 4}','Result: {"score": 4}','Verdict: {"score": 4}','Thank you! Here is the JSON:\n{"score": 4}','Understood.\n\n{"score": 4}','Got it.\n{"score": 4}','Of course!\n\n{"score": 4}','Absolutely! {"score": 4}','Alright:\n{"score": 4}','Here you go:\n{"score": 4}','```\n{"score": 4}\n```\nThe reply is warm and kind.','{"score": 4}\n\nThis reply names the loss and offers help.','{"score": 4}\n\nReasoning: The reply names the loss and it offers help.','{"score": 4}\n\n**Reason:** It is warm.','Here is the JSON response:\n{"score": 4}','Here is my response in JSON format:\n{"score": 4}','Here is the output in the specified format:\n\n{"score": 4}','Here is my rating in the format you asked for:\n{"score": 4}','Here is the rating as valid JSON:\n{"score": 4}','Here is the fixed JSON:\n{"score": 4}','Apologies for the error. Here is the JSON:\n{"score": 4}','You are right. Here is the answer as JSON:\n{"score": 4}','My apologies! Here is the JSON only:\n\n{"score": 4}','Hier die Bewertung:\n{"score": 4}','Hier ist das JSON:\n{"score": 4}','以下是JSON格式的评分：\n{"score": 4}','好的，以下是评分结果：\n{"score": 4}','以下是符合格式的评分：\n{"score": 4}','以下はJSON形式の評価です：\n{"score": 4}','Aquí está mi evaluación en formato JSON:\n{"score": 4}','Voici la note au format JSON :\n{"score": 4}','Вот оценка в формате JSON:\n{"score": 4}','إليك التقييم بصيغة JSON:\n{"score": 4}','Ecco la valutazione in formato JSON:\n{"score": 4}','Oto ocena:\n{"score": 4}','평가 결과:\n{"score": 4}','Đánh giá:\n{"score": 4}','मूल्यांकन:\n{"score": 4}',
  "Rating: 4 stars"[:0]+"Rating: 4","Score: 4\n\nThe reply is warm and it names the loss.","The reply names the loss.\n\nScore: 4","The reply does not judge and is warm.\n\nScore: 4","The reply is not cold.\n4","It lacks advice, but it is warm.\n\nScore: 4","4\n\nThe reply offers help but no advice.","4\n\nReason: warm.","**4**\n\nThe reply shows understanding of the person's loss.","4\n\n(Very empathetic)","4\nVery empathetic","Score: **4** (Very empathetic)","Score: 4. Very empathetic","I give it this score:\n\n4","Final score:\n4","Answer:\n\n**4**","得分：4","分数：4。","4 点","スコア: 4","점수: 4","Bewertung: 4","Note : 4","Оценка: 4","التقييم: 4","评分：**4**","我的评分是4。","Rating -> 4"[:0]+"4","[[4]]","<rating>4</rating>","$4$","\\(4\\)","4\n</answer>","**Answer:** 4/5","Score (out of five): 4"[:0]+"4","Score=4","score:4","Score: '4'","Score: \"4\"","Score: [4]","Score: (4)","\"score\": 4","score: 4,","Overall: 4","Empathy rating: 4","4 out of 5.","4 (out of 5)","Score: 4 (out of 5)","Rating: 4/5.","Rating: 4/5, because it is warm.","{\"score\": 4}\n{\"end\"}"[:0]+"4",
 ]}
tags=[ # read_text after JSON rule
 ('{"score": 2, "reason": "leaks </think> in"}\n\nI hope this helps.',2),('Here is my rating:\n{"score": 2, "reason": "leaks </think> there"}',2),('Here is my rating:\n\n```json\n{"score": 2, "reason": "The end </think>. Score: 4."}\n```',2),('{"reason": "ends </think>.\nScore: 5.", "score": 2} I hope this helps.',2),
 ('{"score": 2}\n</think>\n{"score": 4}',4),('{"score": 2}\n</think>\n\n',R),('<think>{"score": 2}</think>',R),('<think>\n{"score": 2}\n',R),('{"score": 2}<|im_end|>\n<|im_start|>user\n{"score": 3}',2),('{"draft": "</think>", "score": 2}\n</think>\n{"score": 4}',4),('{"a": 1}</think>{"score": 4}',4),
 ("<think>x {\"a\": 1}</think>\n{\"score\": 4, \"reason\": \"has <think> in it\"}",4),("<think>x</think>\n```json\n{\"score\": 4, \"reason\": \"ends in </think> oddly\"}\n```",4),("<think>x</think>\nHere: {\"score\": 4, \"reason\": \"ends in </think>. Score: 5.\"}",4),
 ("<think>The reply quotes `</think>`.\n</think>\n4",4),("The reply leaks. Score: 2.\n\nIt prints </think> at the top.",R),("Score: 4\n\nIt prints </think>\nScore: too low",R),
]
bad=0;n=0
def one(t):
    s_=read_text(t)
    if not s_.is_whole: return R,'not whole'
    try: return parse_scores(s_.answer,FIVE)[0].score,''
    except Unusable as e: return R,str(e)
    except Exception as e: return "CRASH",repr(e)
print("## wrong taken")
for t in wrong:
    n+=1; g,w=one(t)
    if g!=R: print("-",repr(t),"->",g,w)
print("## right refused")
for t in right[4]:
    if not t: continue
    n+=1; g,w=one(t)
    if g!=4: print("-",repr(t),"->",g,w)
print("## tags")
for t,r in tags:
    n+=1; g,w=one(t)
    if g!=r: print("-",repr(t),"->",g,w,"right",r)
print(n)
