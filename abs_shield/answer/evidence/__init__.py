"""What an answer may rest on: passages of a run or of documents, and two indexes of them."""
