"""How policies are found: features of the demonstrations, Boolean formulas over them, their posterior."""
