"""Search by similarity: samples most like a sample, a part of one, any image or words, exactly, by embeddings; and the
jobs that compute those."""
