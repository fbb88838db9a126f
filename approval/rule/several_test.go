package rule

import "testing"

func TestRemotesAndBranchesByName(t *testing.T) {
	s := NewSet(rules(t, Allow, "git push", "git fetch", "git pull", "git push --force")...)
	checkLines(t, s, Allow, "git push", "git push origin main", "git push -u origin feature/x-1", "git fetch origin", "git pull upstream main", "git push --force origin main")
	checkLines(t, s, Open, "git push https://a.test/x main", "git push ../x", "git push ./x", "git push src", "git push origin +main", "git push origin :main", "git push origin HEAD:main", "git fetch ext::sh", "git push git@a.test:x", "git push \"$X\"", "git push --mirror origin", "git pull a..b", "git fetch --upload-pack=x origin")
}

func TestProgramsThatDoMuchAreNamedFurther(t *testing.T) {
	s := NewSet(rules(t, Allow, "terraform", "helm", "pip", "gh", "kubectl", "docker", "npm", "cargo", "systemctl", "terraform plan")...)
	checkLines(t, s, Allow, "terraform show", "terraform plan", "helm list", "pip freeze", "systemctl status x", "pip --version", "kubectl get pods", "docker ps", "npm ls", "cargo tree")
	checkLines(t, s, Open, "terraform destroy", "helm uninstall x", "pip install x", "gh repo delete x", "kubectl delete x", "docker rm x", "docker compose up", "npm publish", "cargo publish", "systemctl stop x", "npm install")
}

func TestCheckoutOfFilesIsNamed(t *testing.T) {
	s := NewSet(rules(t, Allow, "git checkout")...)
	checkLines(t, s, Allow, "git checkout main", "git checkout -b feature/x")
	checkLines(t, s, Open, "git checkout .", "git checkout README.md", "git checkout -- src/main.go", "git checkout HEAD src", "git checkout :/", "git checkout -f main")
	checkLines(t, NewSet(rules(t, Allow, "git checkout .")...), Allow, "git checkout .")
}

func TestSwitchesOfMake(t *testing.T) {
	s := NewSet(rules(t, Allow, "make")...)
	checkLines(t, s, Allow, "make -j8 VERBOSE=1", "make V=1 test", "make DEBUG=yes")
	checkLines(t, s, Open, "make SHELL=x", "make CC=x", "make MAKEFLAGS=n", "make GO=./x", "make PREFIX=/etc", "make X='$(shell id)'", "make CFLAGS=1")
}
