"""Retrieval: keyword (BM25), dense (FAISS), fusion, and the strategies that use them."""
