"""The evidence for an answer: passages of a run or of documents, and two indexes of them."""
