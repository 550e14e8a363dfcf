lode dataset create mended --classes cat,dog
lode dataset push labelled mended
lode dataset tag-samples mended --filter "split = train and key prefix train/dog/1" --add odd
lode dataset slice mended dark --filter "key prefix train/cat/1"
lode queue create second-look mended --sample val/cat/1.jpg
