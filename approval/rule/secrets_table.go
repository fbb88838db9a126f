package rule

// examples are what stands beside secrets to show their shape.
var examples = []string{"*.example", "*.sample", "*.template", "*.tmpl", "*.dist", "*.defaults", "*.schema", "*example*"}

// holdsSecrets lists what usually holds what nobody should learn. A name alone
// does not tell: what is listed costs one question.
var holdsSecrets = []fileRow{
	{why: "settings that are often secret", group: "Passwords and tokens", but: examples, names: []string{
		".env*", "*.env", "local.settings.json", "wp-config.php", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*",
		"secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml", "secrets.ini", "secrets.properties", "secrets.xml", "secrets.txt",
		"secret.json", "secret.yaml", "secret.yml", "secret.toml", "secret.txt", ".secrets", ".secrets.*", ".secret", ".secret.*", "*.secret", "*.secrets",
	}},
	{why: "passwords or tokens", group: "Passwords and tokens", but: examples, names: []string{
		".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".git-credentials", ".config/git/credentials",
		".npmrc", ".pypirc", ".dockercfg", ".docker/config.json", ".config/containers/auth.json", ".gem/credentials",
		".cargo/credentials", ".cargo/credentials.toml", ".composer/auth.json", "auth.json", ".m2/settings.xml", ".m2/settings-security.xml",
		".gradle/gradle.properties", ".nuget/NuGet.Config", ".bundle/config", ".htpasswd", ".vault-token", ".vault_pass*", "*.token", ".token",
		".terraformrc", ".terraform.d/", ".s3cfg", ".boto", ".config/gh/", ".config/hub", ".config/glab-cli/", ".config/rclone/",
		".config/github-copilot/", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".config/sops/",
		"credentials.json", "credentials*.json", "credentials.yaml", "credentials.yml", "credentials.toml", "credentials.ini",
		"credentials.properties", "credentials.xml", "credentials.txt", "credentials.csv", ".credentials", ".credentials.*",
		"/run/secrets/", "/var/run/secrets/",
	}},
	{why: "access to a cloud or a cluster", group: "Passwords and tokens", but: examples, names: []string{
		".aws/", ".azure/", ".config/gcloud/", ".config/doctl/", ".config/hcloud/", ".oci/", ".fly/", ".kube/", "kubeconfig", "*.kubeconfig",
		"service-account*.json", "service_account*.json", "client_secret*.json", "*-firebase-adminsdk-*.json", "*.ovpn",
	}},

	{why: "a private key", group: "Keys and key stores", but: []string{"*.pub"}, names: []string{
		"*.pem", "*.key", "*.ppk", "*.p8", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*", "*.agekey",
		"/etc/ssh/ssh_host_*_key", "/etc/ssl/private/", "/etc/wireguard/",
	}},
	{why: "keys and the names of your machines", group: "Keys and key stores", names: []string{".ssh/"}},
	{why: "a store of keys or passwords", group: "Keys and key stores", names: []string{
		".gnupg/", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.kdb", "*.keychain", "*.keychain-db", "Library/Keychains/",
		".local/share/keyrings/", ".password-store/", ".local/share/gopass/", ".config/op/", ".config/1Password/", ".config/Bitwarden/",
	}},

	{why: "what a browser or a mail program knows of you", group: "People", names: []string{
		".mozilla/", ".thunderbird/", ".config/google-chrome/", ".config/chromium/", ".config/BraveSoftware/", ".config/microsoft-edge/",
		"snap/firefox/", "Library/Application Support/Google/Chrome/", "Library/Application Support/Firefox/", "Library/Cookies/",
		"Library/Safari/", "cookies.sqlite", "logins.json", "key3.db", "key4.db",
	}},
	{why: "what was typed into a shell or a database", group: "People", names: []string{
		".bash_history", ".zsh_history", ".sh_history", "fish_history", ".python_history", ".node_repl_history", ".psql_history",
		".mysql_history", ".sqlite_history", ".rediscli_history", ".local/share/fish/fish_history",
	}},

	{why: "the passwords of this machine", group: "The system", names: []string{
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d/", "/etc/security/opasswd",
	}},
	{why: "the environment or the memory of a program", group: "The system", names: []string{
		"/proc/*/environ", "/proc/*/cmdline", "/proc/*/mem", "/proc/*/fd/", "/proc/*/root/", "/proc/*/cwd/", "/proc/*/map_files/",
		"/proc/*/task/", "/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/kmsg",
	}},
}
