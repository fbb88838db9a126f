/** Which files the workspace could have brought: none of them is ever started as the bridge, whatever PATH says. */
import * as path from "node:path";

/**
 * Whether a file is one of the machine's: named absolutely, and neither it nor the folder it is found in lies within a
 * root once links are followed. Real resolves links, and leaves what does not exist as it is.
 */
export function isOfMachine(file: string, roots: readonly string[], real: (file: string) => string): boolean {
  if (!path.isAbsolute(file)) return false;
  const places = [real(file), real(path.dirname(file))];
  return roots.map(real).every((root) => places.every((place) => !isWithin(root, place)));
}

function isWithin(root: string, file: string): boolean {
  const way = path.relative(root, file);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
