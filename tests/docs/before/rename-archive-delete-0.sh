lode pipeline cancel pets || true
lode pipeline archive pets
lode pipeline archive pets-2
stop_all
lode dataset archive mine
lode dataset delete mine --confirm mine
