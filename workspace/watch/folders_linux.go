package watch

// watchesUnnamed says that a file that is open is watched on when it has lost its
// name: then one of ours leaves nothing behind, whatever ends us.
const watchesUnnamed = true

// maxFolders bounds the folders that are watched. The system has as many
// watches for a user and takes about a kilobyte for each.
const maxFolders = 8192
