import io,contextlib,time,signal
with contextlib.redirect_stdout(io.StringIO()):
    exec(open("/tmp/adversary/run.py").read().split("# ---------- wrong numbers")[0])
class TO(Exception): pass
def h(*a): raise TO()
signal.signal(signal.SIGALRM,h)
def t(label,f):
    s=time.process_time(); signal.alarm(15); r=""
    try: f()
    except Unusable: pass
    except TO: r="TIMEOUT"
    finally: signal.alarm(0)
    print(label,round(time.process_time()-s,2),r)
for n in (20_000,40_000,200_000):
    t(f"newlines {n}",lambda:read_text("x"+"\n"*n+"x"))
    t(f"spaces {n}",lambda:read_text("x"+" "*n+"x"))
for p in ("<think>a</think>","{}</think>","{\"a\":1}</think>","\n<think>a</think>b","<think>a</think>\n","{<think>a</think>","</think>{"):
    t(repr(p)+" 200k",lambda:read_text(p*(200_000//len(p))))
    t("{"+repr(p)+"} 200k",lambda:read_text("{"+p*(200_000//len(p))+"}"))
    t("<think></think>{"+repr(p)+"} 200k",lambda:read_text("<think></think>{\"a\":\""+p*(200_000//len(p))+"}"))
for x in ("score x 4"+"\n"*9000+"x","x "*4900+"score: 4","score "*1600+"4","abc "*2400+": 4","4\n"+"the "*2400,"it is "*1600+'{"score": 4}','{"score": 4}'+" it is."*1400,"\n"*1+"the\n"*2400+'{"score": 4}', "the"+"\n"*9000+'it {"score": 4}','{"score": 4} the'+"\n"*9000+"it","\\boxed{4}"*1000,"$"*9000+"4","score is "*1000):
    t("parse "+repr(x[:30]),lambda:parse_scores(x,FIVE))
