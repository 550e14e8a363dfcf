lode dataset create signs --classes car,cyclist
lode dataset push signs signs --annotations signs.jsonl
lode model create signs --classes car,cyclist
lode run start signs --dataset signs --set recipe.steps=60 --wait
lode model promote signs 1 --reason "the first"
lode dataset slice signs night --filter 'meta.time = "night"'
