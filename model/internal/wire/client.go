package wire

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// sharedClient is made at the first request: reading the system's certificates
// costs more than the whole start-up may. It has no time limit, since an
// answer may take long; ctx and the stall watchdog end it.
var sharedClient = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: NewTransport()}
})

// NewTransport reaches the network as the environment says: HTTP_PROXY,
// HTTPS_PROXY and NO_PROXY, and the certificates of SSL_CERT_FILE and
// NODE_EXTRA_CA_CERTS on top of the system's.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 20 * time.Second,
		TLSClientConfig:     &tls.Config{RootCAs: roots(os.Getenv)},
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: 4,
		ForceAttemptHTTP2:   true,
		// A compressed stream may sit in the compressor of a gateway.
		DisableCompression: true,
	}
}

// caVariables name files with further certificates.
var caVariables = []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"}

// roots is nil, the system's own set, unless a variable adds to it. A file that
// cannot be used is passed over here, since a stale variable must not stop
// services that need no such file; a failed verification then names it.
func roots(getenv func(string) string) *x509.CertPool {
	var pool *x509.CertPool
	for _, name := range caVariables {
		pem, err := os.ReadFile(getenv(name))
		if err != nil {
			continue
		}
		if pool == nil {
			pool = systemRoots()
		}
		pool.AppendCertsFromPEM(pem)
	}
	return pool
}

func systemRoots() *x509.CertPool {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return x509.NewCertPool()
	}
	return pool
}

// caHint says what can be done about a certificate that nobody vouches for.
func caHint(getenv func(string) string) string {
	for _, name := range caVariables {
		path := getenv(name)
		if path == "" {
			continue
		}
		if pem, err := os.ReadFile(path); err != nil {
			return name + " names a file that cannot be read: " + err.Error()
		} else if !x509.NewCertPool().AppendCertsFromPEM(pem) {
			return name + " names " + path + ", which holds no certificate"
		}
	}
	return "if a proxy or gateway signs its own certificates, name its CA file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS"
}
