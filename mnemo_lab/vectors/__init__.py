"""FAISS indexes: variants by name, removal, choice by count."""
