"""How weights are chosen: signals as arrays, a grid measured, one recording left out."""
