package main

func runServe([]string) int { return 1 }
