import io,contextlib,time
with contextlib.redirect_stdout(io.StringIO()):
    exec(open("/tmp/adversary/run.py").read().split("# ---------- wrong numbers")[0])
def t(label,f):
    s=time.process_time()
    try: f()
    except Unusable: pass
    print(label,round(time.process_time()-s,2))
for n in (5000,10000,20000,40000):
    t(f"rewritten # newlines {n}",lambda:rewritten_text("#"+"\n"*n+"x","o"))
    t(f"rewritten <text>x spaces {n}",lambda:rewritten_text("<text>x"+" "*n+"x","o"))
for n in (1250,2500,5000,9999):
    t(f"literal */5 ones {n}",lambda:score_in_literal("1"*n,"*/5",FIVE))
    t(f"literal */5 1. {n}",lambda:score_in_literal("1."*(n//2),"*/5",FIVE))
for n in (200_000,2_000_000):
    t(f"read_text <|channel|>a* {n}",lambda:read_text("<|channel|>"+"a"*n))
