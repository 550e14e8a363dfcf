stop_all
command lode run start pets-cnn --dataset pets@v3 --set recipe.steps=100000
export RUN=$(first /runs id)
