package watch

// maxFolders bounds the folders that are watched. The system has as many
// watches for a user and takes about a kilobyte for each.
const maxFolders = 8192
