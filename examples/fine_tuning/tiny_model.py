"""Writes a Llama of random weights, small enough to try a recipe on any computer.

    python examples/fine_tuning/tiny_model.py tiny

Its tokens are the 256 bytes, so its answers mean nothing; all else is as with a real model: a
folder with configuration, tokenizer, chat template and weights. Needs what `mlx-lm` installs.
"""

import json
import sys
from pathlib import Path

import mlx.core as mx
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

SIZE, LAYERS, HEADS = 64, 2, 4
BEGIN, END, ROLE = "<s>", "</s>", "<|role|>"
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "<|role|>{{ message['role'] }}\n{{ message['content'] }}{{ eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}<|role|>assistant\n{% endif %}"
)


def write_tokenizer(folder: Path) -> int:
    """A tokenizer of bytes with its template of a chat; returns the number of tokens."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([BEGIN, END, ROLE, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([BEGIN, END, ROLE])
    tokenizer.save(str(folder / "tokenizer.json"))
    about = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BEGIN,
        "eos_token": END,
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    return len(vocabulary)


def write_model(folder: Path, tokens: int) -> None:
    """The configuration and random weights of a Llama."""
    configuration = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": SIZE,
        "intermediate_size": 2 * SIZE,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "rms_norm_eps": 1e-5,
        "vocab_size": tokens,
        "rope_theta": 10000.0,
        "max_position_embeddings": 4096,
        "tie_word_embeddings": True,
        "bos_token_id": 0,
        "eos_token_id": 1,
    }
    (folder / "config.json").write_text(json.dumps(configuration))
    mx.random.seed(1)

    def drawn(*shape: int) -> mx.array:
        return mx.random.normal(shape) * 0.05

    weights = {"model.embed_tokens.weight": drawn(tokens, SIZE), "model.norm.weight": mx.ones(SIZE)}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"{at}.{name}.weight"] = mx.ones(SIZE)
        for name in "qkvo":
            weights[f"{at}.self_attn.{name}_proj.weight"] = drawn(SIZE, SIZE)
        for name in ("gate", "up"):
            weights[f"{at}.mlp.{name}_proj.weight"] = drawn(2 * SIZE, SIZE)
        weights[f"{at}.mlp.down_proj.weight"] = drawn(SIZE, 2 * SIZE)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_model(folder, write_tokenizer(folder))


if __name__ == "__main__":
    main()
