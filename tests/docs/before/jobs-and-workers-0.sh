lode run start pets-cnn --dataset pets --set recipe.steps=60
export JOB=$(first /jobs id)
