"""What every store on disk shares: one SQLite file for many processes, words and vectors of its rows, real forgetting.

It knows nothing of what the rows hold. A schema built on it has these tables beside its own: ``store`` (uuid,
forgotten, wiped), ``namespaces`` (id, name, model, fingerprint, dimension, removals), ``words`` (item, namespace, kind,
terms) and ``vectors`` (id, namespace, kind, item, data); ids of namespaces, items and vectors are never used twice.
"""
