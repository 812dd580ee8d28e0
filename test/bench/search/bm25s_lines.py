"""Answers lines of JSON: the first is a list of texts to index, each other one is a query; the answer is the best ten."""
import json
import sys

import bm25s
import Stemmer

LANGUAGES = {"en": "english", "de": "german"}
language = sys.argv[1]
stemmer = Stemmer.Stemmer(LANGUAGES[language]) if language in LANGUAGES else None
stop_words = "en" if language == "en" else []


def tokens(texts):
    return bm25s.tokenize(texts, stopwords=stop_words, stemmer=stemmer, show_progress=False)


index = None
for line in sys.stdin:
    value = json.loads(line)
    if index is None:
        index = bm25s.BM25()
        index.index(tokens(value), show_progress=False)
        count = len(value)
        answer = []
    else:
        found, scores = index.retrieve(tokens([value]), k=min(10, count), show_progress=False)
        answer = [int(at) for at, score in zip(found[0], scores[0]) if score > 0]
    print(json.dumps(answer), flush=True)
