"""Search images by words: text encoders as ONNX files with their tokenizers, and the names of ImageNet's classes.

`imagenet_classes.json` holds the synonyms of the 1,000 classes, in the order of the outputs: the lemmas of WordNet 3.0
(WordNet's licence) as timm lists them (Apache-2.0). `bert_uncased.json` is the vocabulary of BERT's uncased models
(Apache-2.0), in the order of its ids.
"""
