// Package.swift says what this target depends on. A target must have a file.
