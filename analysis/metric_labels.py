"""What people call each automatic metric. Pages need it, and load no package of metrics."""

from collections.abc import Mapping

LABELS: Mapping[str, str] = {
    "embedding_cosine": "Embedding cosine",
    "bertscore_precision": "BERTScore precision",
    "bertscore_recall": "BERTScore recall",
    "bertscore_f1": "BERTScore F1",
    "meteor": "METEOR (exact + stem)",
    "meteor_synonyms": "METEOR (exact + stem + synonyms)",
    "rouge_l": "ROUGE-L",
    "chrf": "chrF",
    "tfidf_cosine": "TF-IDF cosine",
    "perplexity": "Perplexity",
    "distinct_1": "Distinct-1",
    "distinct_2": "Distinct-2",
    "words": "Words",
    "characters": "Characters",
    "sentences": "Sentences",
    "flesch_reading_ease": "Flesch reading ease",
    "flesch_kincaid_grade": "Flesch–Kincaid grade",
    "stock_phrases": "Stock phrases",
    "prescriptive_markers": "Prescriptive markers",
    "affective_markers": "Affective markers",
    "imperatives": "Imperative sentences",
    "advice_to_empathy": "Advice-to-empathy ratio",
    "topic_shifts": "Topic shifts",
}
