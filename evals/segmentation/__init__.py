"""Where topics begin: what triggers find, against labels, beside what needs no looking."""
