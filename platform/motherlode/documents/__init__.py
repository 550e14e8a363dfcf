"""The platform's JSON documents, as far as the client reads them. A platform may add fields to each."""
