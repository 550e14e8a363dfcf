"""Serializers of embeddings, similar samples and encoders."""

from rest_framework import serializers

from accounts.people_serializers import WHICH_PROJECT
from catalog.models import OWN_NAME
from catalog.serializers.samples import SampleSerializer
from core.forms import ReferenceField
from jobs.api import JobSerializer
from registry.models import VERSION_REFERENCE
from registry.serializers import MAX_METADATA, TextPart

MODEL_HELP = (
    'model version whose embeddings are compared, like "signs@production"; by default EfficientNet-Lite0 trained on '
    "ImageNet"
)
WORDS_HELP = "compared with the names of ImageNet's 1,000 classes, or with the images if `encoder` is given"
ENCODER_HELP = "encoder of the project whose embeddings are compared in place of a model's, by name or id"


class NewEmbeddingsSerializer(serializers.Serializer[None]):
    model = serializers.CharField(
        validators=[VERSION_REFERENCE],
        default=None,
        allow_null=True,
        help_text=MODEL_HELP.replace("without one", "null:"),
    )
    encoder = ReferenceField(max_length=100, default=None, allow_null=True, help_text=ENCODER_HELP)


class WordsSerializer(serializers.Serializer[None]):
    ready = serializers.BooleanField(
        help_text="whether words can be searched for yet; the job that computes embeddings makes that possible"
    )
    by = serializers.CharField(help_text="name of what words are compared with, for display")
    about = serializers.CharField(help_text="what words are compared with, and what that can't find")


class EmbeddingsSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    model = serializers.CharField(
        allow_null=True, help_text="model whose embeddings are used; null: an encoder's, or the backbone's"
    )
    encoder = serializers.CharField(
        allow_null=True, help_text="encoder whose embeddings are used; null: a model's, or the backbone's"
    )
    by = serializers.CharField(help_text="name of what computes the embeddings, for display")
    samples = serializers.IntegerField(help_text="samples of the version")
    embedded = serializers.IntegerField(help_text="samples that have an embedding")
    unreadable = serializers.IntegerField(help_text="samples whose image the model can't read")
    missing = serializers.IntegerField(help_text="samples that have no embedding yet")
    words = WordsSerializer(
        allow_null=True, help_text="what words are compared with; null for a model, which can't read words"
    )
    job = JobSerializer(allow_null=True, help_text="open job that computes the missing embeddings; null: none")


class SimilarToSerializer(serializers.Serializer[None]):
    file = serializers.FileField(allow_empty_file=True, help_text="an image of at most 32 MiB")


class SimilarSampleSerializer(SampleSerializer):
    similarity = serializers.FloatField(help_text="cosine of the embeddings, -1 to 1, to six digits")


class UnknownWordsSerializer(serializers.Serializer[None]):
    known = serializers.BooleanField(help_text="false: no name is like the words; true: a name is, but no image")
    similarity = serializers.FloatField(help_text="largest similarity of the words with a name, or with an image")
    least = serializers.FloatField(help_text="similarity that it must have; below it the order means nothing")
    nearest = serializers.ListField(child=serializers.CharField(), help_text="names that it knows, the nearest first")
    detail = serializers.CharField(help_text="the same as a sentence")


class WordsReadSerializer(serializers.Serializer[None]):
    text = serializers.CharField()
    tokens = serializers.IntegerField(help_text="tokens of the text, as the encoder splits it")
    read = serializers.IntegerField(help_text="tokens that were read; the others were cut off")
    about = serializers.CharField(help_text="what these words are compared with, and what that can't find")
    unknown = UnknownWordsSerializer(
        allow_null=True,
        help_text="words that are compared with the names of ImageNet's classes, but are like none of the images: they "
        "are not known, or nothing of the kind is there; null: some images are like them, or by an `encoder`",
    )


class SimilarListSerializer(serializers.Serializer[None]):
    results = SimilarSampleSerializer(many=True)
    total = serializers.IntegerField(
        help_text="number of samples that can be listed: the first 10,000 of all that were compared"
    )
    offset = serializers.IntegerField()
    compared = serializers.IntegerField(help_text="samples that pass the filters and have an embedding")
    missing = serializers.IntegerField(help_text="samples of the version that have no embedding yet")
    unreadable = serializers.IntegerField(help_text="samples of the version that can't have an embedding")
    version = serializers.IntegerField()
    model = serializers.CharField(
        allow_null=True, help_text="model whose embeddings are used; null: an encoder's, or the backbone's"
    )
    encoder = serializers.CharField(
        allow_null=True, help_text="encoder whose embeddings are used; null: a model's, or the backbone's"
    )
    by = serializers.CharField(
        help_text="name of what computes the embeddings, or of what words were compared with, for display"
    )
    words = WordsReadSerializer(allow_null=True, help_text="what was read of `text`; null in a search by an image")


class NewEncoderSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    image = serializers.FileField(help_text="the image encoder, ONNX")
    text = serializers.FileField(help_text="the text encoder, ONNX")
    tokenizer = serializers.FileField(help_text="`tokenizer.json`, as Hugging Face's tokenizers write it")
    project = ReferenceField(max_length=100, required=False, help_text=WHICH_PROJECT)
    metadata = TextPart(
        default="",
        allow_blank=True,
        max_length=MAX_METADATA,
        help_text="JSON: input_size, layout, scale, mean, std, image_output, text_output, text_length, fill, "
        "pad_token, notes; what is left out is read from the files",
    )
    preprocessor = TextPart(
        default="",
        allow_blank=True,
        max_length=MAX_METADATA,
        help_text="Hugging Face's `preprocessor_config.json`: size, mean and std of the images, where `metadata` does "
        "not say them",
    )


class SourceSerializer(serializers.Serializer[None]):
    url = serializers.CharField(
        max_length=2000, help_text="http or https address of a host that an operator allows (`MOTHERLODE_IMPORT_HOSTS`)"
    )
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", help_text="SHA-256 that the file must have")


class EncoderSourcesSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    image = SourceSerializer(help_text="the image encoder, ONNX")
    text = SourceSerializer(help_text="the text encoder, ONNX")
    tokenizer = SourceSerializer(help_text="`tokenizer.json`, as Hugging Face's tokenizers write it")
    project = ReferenceField(max_length=100, required=False, help_text=WHICH_PROJECT)
    metadata = serializers.DictField(default=dict, help_text="as in a form")
    preprocessor = serializers.DictField(default=dict, help_text="as in a form")


class EncoderSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    project = serializers.CharField()
    width = serializers.IntegerField(help_text="numbers in an embedding")
    digest = serializers.CharField(help_text="the SHA-256 of the image encoder as the platform runs it")
    size = serializers.IntegerField(help_text="bytes of both files")
    parameters = serializers.DictField(help_text="how images and texts are read")
    uploaded = serializers.DictField(
        help_text="SHA-256 and size of each file as it came, and the `url` of one that was fetched"
    )
    trunk_fault = serializers.CharField(
        help_text="why no model can be trained on the image encoder, as TensorRT would refuse it; empty: one can"
    )
    notes = serializers.CharField()
    created_by = serializers.CharField()
    created = serializers.DateTimeField()


class EncoderListSerializer(serializers.Serializer[None]):
    results = EncoderSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RemovedEncoderSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    embeddings = serializers.IntegerField(help_text="number of embeddings of images that were removed with it")
    models = serializers.ListField(
        child=serializers.CharField(),
        help_text='model versions that were trained on it, like "signs@3": they keep its file',
    )
