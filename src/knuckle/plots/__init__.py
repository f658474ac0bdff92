"""Pictures from results. They compute nothing mechanical; matplotlib is used in this room alone."""
