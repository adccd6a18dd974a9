import sys,time,signal
sys.argv=["x"]
import io,contextlib
with contextlib.redirect_stdout(io.StringIO()):
    exec(open("/tmp/adversary/run.py").read().split("# ---------- wrong numbers")[0])
from judge.traces import traces_in
N=200_000
class TO(Exception): pass
def h(*a): raise TO()
signal.signal(signal.SIGALRM,h)
O="You told me."
def timed(name,f,label):
    signal.alarm(12); s=time.process_time()
    try: f()
    except TO: print(f"{name:15s} {label!r:60s} > 12 s"); return
    except Unusable: pass
    except Exception as e: print(name,label,"CRASH",type(e).__name__,str(e)[:80])
    finally: signal.alarm(0)
    d=time.process_time()-s
    if d>0.5: print(f"{name:15s} {label!r:60s} {d:.2f} s")
parts=["<think>","</think>","`","```","``","[INST]","[/INST]","<","<|channel|>","<|channel|>a","<|channel|>final<|message|>","<|start|>","<|end|>","\n"," ","\t","\\","\\u","\\n","{","}","[","]","(","\"","'","&","&amp","*","#","# ","*\n","_ ","a","1","1 ","1.","1\n","-","/5","1/5","~","<text>","</text>","<text> ","：","这是","sure ","sure\n","here is ","the version ","model ","role ","roles system","temperature ","n't ","i am a ","as an ","\u00c3","\u00e2\u0080","<think a","<s>","</s>","<|","<|im_","<|endaaa","</think ","x</think>","\r\n","score ","score: ","my ","my overall ","no ","i'm sorry, ","\ufeff","\u200b","<answer>","</answer>","analysis","assistantfinal","'system'","<unused94>","<text>a","loc","\\boxed{","。","我"," \n","<|constrain|>","```a\n"]
heads=["","x","#","<text>x","<|channel|>","<|channel|>a<","[INST]","<think>","<|im_start|>","```\n","`","sure","here is the ","这是","\\","<answer>","<think></think><answer>","<|begin_of_solution|>","<think></think><|begin_of_solution|>","score: ","{\"score\": 4} a","{\"score\": 4","<s>","model ","role","以下是","*#","x <text>y","好的"]
fs={"read_text":lambda t:read_text(t),"parse":lambda t:parse_scores(t[:10000],FIVE),"parse200k":lambda t:parse_scores(t,FIVE),"rewritten":lambda t:rewritten_text(t,O),"rewritten_o":lambda t:rewritten_text(t[:200],t),"traces":lambda t:list(traces_in(t)),"trait":lambda t:trait_behind(400,t),"trait2":lambda t:trait_behind(400,"not "+t),"words":lambda t:words_of({"error":{"message":t}}),"literal":lambda t:score_in_literal(t[:10000],"[[*]]",FIVE),"literal2":lambda t:score_in_literal(t[:10000],"*/5",FIVE),"verdict2":lambda t:verdicts_in_literal(t[:10000],"* wins",["A","B"],tie="tie")}
print("start")
which=sys.stdin.read().split() or list(fs)
slow={}
for name in which:
    f=fs[name]
    for hd in heads:
        for p in parts:
            for tail in ("","x"):
                if slow.get((name,p),0)>1: continue
                t=hd+p*((N-len(hd))//len(p))+tail
                s=time.process_time(); timed(name,lambda:f(t),(hd,p,tail))
                if time.process_time()-s>3: slow[(name,p)]=slow.get((name,p),0)+1
print("done")
