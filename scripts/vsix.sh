#!/bin/sh
# Packs the editor extension with the bridge of one platform inside, this
# machine's unless GOOS and GOARCH name another:
# editors/vscode/drawbridge-TARGET-VERSION.vsix.
#
# LDFLAGS and GO come from the Makefile.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
extension=$root/editors/vscode
limit=$((25 * 1024 * 1024))
go=${GO:-go}

os=$($go env GOOS)
case $($go env GOARCH) in
amd64) arch=x64 ;;
*) arch=$($go env GOARCH) ;;
esac
target=$os-$arch

"$root/scripts/install-node.sh"
"$root/scripts/install-modules.sh"
PATH=$root/.tools/node/bin:$PATH

cd "$root"
rm -rf "$extension/bin" "$extension/dist"
CGO_ENABLED=0 $go build -ldflags "${LDFLAGS:-}" -o "$extension/bin/drawbridge" ./cmd/drawbridge
CGO_ENABLED=0 $go build -ldflags '-s -w' -o "$extension/bin/drawbridge-guard" ./cmd/drawbridge-guard
cd "$extension"
node esbuild.mjs
version=$(node -p 'require("./package.json").version')
if [ "$target" = "$($go env GOHOSTOS)-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')" ]; then
	bridge=$(bin/drawbridge --version)
	[ "$bridge" = "drawbridge $version" ] || {
		echo "vsix: package.json says $version, the bridge says \"$bridge\"" >&2
		exit 1
	}
fi
file=drawbridge-$target-$version.vsix
rm -f "drawbridge-$target-"*.vsix
node node_modules/@vscode/vsce/vsce package --no-dependencies --allow-missing-repository --target "$target" --out "$file" >"$extension/bin/.log" 2>&1 || {
	cat "$extension/bin/.log" >&2
	exit 1
}
rm -f "$extension/bin/.log"

size=$(wc -c <"$file")
if [ "$size" -gt "$limit" ]; then
	echo "vsix: $file has $size bytes, at most $limit are allowed" >&2
	exit 1
fi
echo "vsix: editors/vscode/$file ($((size / 1024)) KiB)"
