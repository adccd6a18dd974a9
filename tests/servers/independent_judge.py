"""A judge that nobody here wrote: llama.cpp's own HTTP server, which `xllamacpp` brings from PyPI.

In a test: `with independent_judge(folder) as judge:`. The process that it starts is this file,
`python -m tests.servers.independent_judge FOLDER PORT KEY CONTEXT [embeddings]`; it writes a model
and serves its answers, or its embeddings. The model's weights are random and its tokens are the 256
bytes, so its scores mean nothing.
All else is llama.cpp as everybody has it: a grammar that enforces a JSON schema, seeds, usage,
a key, a context that may be too short, and what it says when something is wrong.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from config.processes import Process, Processes, free_port

KEY = "independent-key"
MODEL = "random-llama"
#: Tokens that a prompt and its answer may have together; a token is a byte.
CONTEXT = 8192
#: Requests that it works on at a time; more of them wait, however long.
SLOTS = 4
#: In its log, when it begins to work on a request that it has not refused.
BEGINS = "processing task"


@dataclass
class IndependentJudge:
    """The server; it can be stopped and started again, with the same address."""

    folder: Path
    processes: Processes
    embeddings: bool = False
    port: int = field(default_factory=free_port)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def _process(self) -> Process:
        return self.processes.running["judge"]

    def start(self, *, key: str = KEY, context: int = CONTEXT) -> None:
        arguments = [str(self.folder), str(self.port), key, str(context)]
        arguments += ["embeddings"] if self.embeddings else []
        command = [sys.executable, "-m", "tests.servers.independent_judge", *arguments]
        self.processes.wait_for(self.processes.start("judge", command), port=self.port)

    def kill(self) -> None:
        """End it at once, whatever it is answering."""
        process = self.processes.running.pop("judge")
        process.kill()
        process.stop()

    def restart(self, *, key: str = KEY, context: int = CONTEXT) -> None:
        self.kill()
        self.start(key=key, context=context)

    def requests(self) -> int:
        """How many requests it has worked on since it was started."""
        return self._process.log.read_text(errors="replace").count(BEGINS)

    def wait_for(self, requests: int, *, seconds: float = 60) -> None:
        """Return when it has begun to work on so many requests."""
        deadline = time.monotonic() + seconds
        while self.requests() < requests:
            assert time.monotonic() < deadline, f"{self.requests()} requests in {seconds:g} s"
            time.sleep(0.01)


@contextmanager
def independent_judge(folder: Path, *, embeddings: bool = False) -> Iterator[IndependentJudge]:
    """Start the server; end it afterwards."""
    with Processes(os.environ, logs=folder) as processes:
        judge = IndependentJudge(folder, processes, embeddings)
        judge.start()
        yield judge


def write_model(path: Path) -> None:
    """A Llama of one small layer. Its answers are ASCII, and its sentences end soon."""
    import gguf
    import numpy as np

    size, heads = 32, 2
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(2**16)
    writer.add_embedding_length(size)
    writer.add_block_count(1)
    writer.add_feed_forward_length(2 * size)
    writer.add_head_count(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(size // heads)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_types([*kinds, *[gguf.TokenType.BYTE] * 256])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_add_space_prefix(False)

    random = np.random.default_rng(1)
    embedding = random.normal(scale=0.3, size=(len(tokens), size))
    output = random.normal(scale=0.15, size=(len(tokens), size))
    # Every state is large in its first number, so that the output's is how likely a token is.
    embedding[:, 0] = 3.0
    output[:, 0] = [-3.0] * 3 + [0.0 if 0x20 <= byte < 0x7F else -3.0 for byte in range(256)]
    output[tokens.index("<0x22>")] = 0.5 * np.eye(size)[0]  # a string's end: about one in ten
    shapes = {
        "attn_q": (size, size),
        "attn_k": (size, size),
        "attn_v": (size, size),
        "attn_output": (size, size),
        "ffn_gate": (2 * size, size),
        "ffn_up": (2 * size, size),
        "ffn_down": (size, 2 * size),
    }
    tensors = {
        "token_embd": embedding,
        "output": output,
        **{f"blk.0.{name}": random.normal(scale=0.1, size=shapes[name]) for name in shapes},
        **{name: np.ones(size) for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")},
    }
    for name, tensor in tensors.items():
        writer.add_tensor(f"{name}.weight", tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(folder: Path, port: int, key: str, context: int, *, embeddings: bool) -> None:
    """Serve the model until a signal ends the process."""
    import xllamacpp

    path = folder / "random.gguf"
    if not path.exists():
        write_model(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {MODEL}
    params.api_keys = [key]
    params.port = port
    params.n_parallel = SLOTS
    if embeddings:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.n_ctx = SLOTS * context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"{MODEL} at {server.listening_address}")
    threading.Event().wait()


if __name__ == "__main__":
    path, port, key, context, *rest = sys.argv[1:]
    serve(Path(path), int(port), key, int(context), embeddings=rest == ["embeddings"])
