lode pipeline start pets
lode pipeline watch pets
