lode model gates pets-cnn --default
