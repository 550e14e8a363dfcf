lode dataset create roads --task detection --classes car,person
lode dataset push roads folder/
lode dataset export roads --format yolo --output yolo.zip
lode dataset export roads --format kitti --output odd.zip
