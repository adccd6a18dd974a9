"""All metrics, in the order in which tables have them. A new one is a file and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from analysis.metrics.bertscore import BERTSCORE_F1, BERTSCORE_PRECISION, BERTSCORE_RECALL
from analysis.metrics.chrf import CHRF_2
from analysis.metrics.distinct import DISTINCT_1, DISTINCT_2
from analysis.metrics.embedding_cosine import EMBEDDING_COSINE
from analysis.metrics.imperatives import IMPERATIVES
from analysis.metrics.length import CHARACTERS, SENTENCES, WORDS
from analysis.metrics.markers import ADVICE_TO_EMPATHY, AFFECTIVE_MARKERS, PRESCRIPTIVE_MARKERS
from analysis.metrics.meteor import METEOR, METEOR_SYNONYMS
from analysis.metrics.metric import Metric
from analysis.metrics.perplexity import PERPLEXITY
from analysis.metrics.readability import FLESCH_KINCAID_GRADE, FLESCH_READING_EASE
from analysis.metrics.rouge_l import ROUGE_L
from analysis.metrics.stock_phrases import STOCK_PHRASES
from analysis.metrics.tfidf_cosine import TFIDF_COSINE
from analysis.metrics.topic_shifts import TOPIC_SHIFTS

_ALL = (
    EMBEDDING_COSINE, BERTSCORE_PRECISION, BERTSCORE_RECALL, BERTSCORE_F1, METEOR,
    METEOR_SYNONYMS, ROUGE_L, CHRF_2, TFIDF_COSINE, PERPLEXITY, DISTINCT_1, DISTINCT_2, WORDS,
    CHARACTERS, SENTENCES, FLESCH_READING_EASE, FLESCH_KINCAID_GRADE, STOCK_PHRASES,
    PRESCRIPTIVE_MARKERS, AFFECTIVE_MARKERS, IMPERATIVES, ADVICE_TO_EMPATHY, TOPIC_SHIFTS,
)  # fmt: skip
METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _ALL})
#: Those that need nothing but the texts.
CORE = tuple(metric.name for metric in _ALL if not metric.needs)
