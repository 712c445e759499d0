internal import CCurl

/// A request in the options of the library.
extension CurlTransfer {
    func set(_ request: CurlRequest) -> Bool {
        var isTaken = unsafe gr_curl_set_text(easy, CURLOPT_URL, request.url) == CURLE_OK
        isTaken = unsafe gr_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK && isTaken
        // What the address says is asked for as it stands.
        unsafe gr_curl_set(easy, CURLOPT_PATH_AS_IS, 1)
        unsafe gr_curl_set(easy, CURLOPT_NOSIGNAL, 1)
        unsafe gr_curl_set(easy, CURLOPT_FOLLOWLOCATION, 0)
        unsafe gr_curl_set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        unsafe gr_curl_set(easy, CURLOPT_TCP_KEEPALIVE, 1)
        unsafe gr_curl_set(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(request.connectTimeout * 1000))
        unsafe gr_curl_set(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        // One connection for several requests is faster than several. In the clear there is none.
        unsafe gr_curl_set(easy, CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
        // A transfer that is cancelled does not wait for an answer about a name.
        unsafe gr_curl_set(easy, CURLOPT_QUICK_EXIT, 1)
        if let serviceClass = request.serviceClass {
            unsafe gr_curl_set_service_class(easy, CInt(serviceClass))
        }
        if request.decodes {
            isTaken = unsafe gr_curl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "identity") == CURLE_OK && isTaken
        }
        setMethod(request)
        isTaken = setTLS(request) && isTaken
        setProxy(request.proxy)
        return setFields(request) && isTaken
    }

    private func setMethod(_ request: CurlRequest) {
        switch request.body {
        case .bytes(let count):
            unsafe gr_curl_set(easy, CURLOPT_UPLOAD, 1)
            unsafe gr_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, Int(count))
            unsafe gr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
            // A connection that has died in the meantime is found out when a part has been sent, which cannot be sent
            // again.
            unsafe gr_curl_set(easy, CURLOPT_FRESH_CONNECT, 1)
        case .none where request.method == "HEAD": unsafe gr_curl_set(easy, CURLOPT_NOBODY, 1)
        case .none where ["POST", "PUT", "PATCH"].contains(request.method):
            // A body of no bytes, whose length is said.
            unsafe gr_curl_set(easy, CURLOPT_POST, 1)
            unsafe gr_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
            unsafe gr_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, "")
            unsafe gr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        case .none:
            unsafe gr_curl_set(easy, CURLOPT_HTTPGET, 1)
            if request.method != "GET" { unsafe gr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method) }
        }
    }

    var isSecure: Bool { request.url.lowercased().hasPrefix("https://") }

    private func setTLS(_ request: CurlRequest) -> Bool {
        let version =
            switch request.oldestTLS {
            case .tls1: CURL_SSLVERSION_TLSv1_0
            case .tls11: CURL_SSLVERSION_TLSv1_1
            case .tls12: CURL_SSLVERSION_TLSv1_2
            case .tls13: CURL_SSLVERSION_TLSv1_3
            }
        var isTaken = unsafe gr_curl_set(easy, CURLOPT_SSLVERSION, Int(version)) == CURLE_OK
        if [.tls1, .tls11].contains(request.oldestTLS) {
            // What is older than TLS 1.2 OpenSSL speaks with old algorithms only.
            isTaken =
                unsafe gr_curl_set_text(easy, CURLOPT_SSL_CIPHER_LIST, "DEFAULT@SECLEVEL=0") == CURLE_OK && isTaken
        }
        guard let text = request.roots else { return isTaken }
        let roots = Array(text.utf8)
        isTaken = unsafe gr_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, roots, roots.count) == CURLE_OK && isTaken
        unsafe gr_curl_set_text(easy, CURLOPT_CAPATH, nil)
        unsafe gr_curl_set_text(easy, CURLOPT_CAINFO, nil)
        return isTaken
    }

    private func setProxy(_ proxy: CurlRequest.Proxy?) {
        // Of the environment, which would be the service's and not the app's, nothing counts.
        unsafe gr_curl_set_text(easy, CURLOPT_NOPROXY, "")
        guard let proxy else {
            unsafe gr_curl_set_text(easy, CURLOPT_PROXY, "")
            return
        }
        let host = proxy.host.contains(":") && !proxy.host.hasPrefix("[") ? "[\(proxy.host)]" : proxy.host
        unsafe gr_curl_set_text(easy, CURLOPT_PROXY, host)
        unsafe gr_curl_set(easy, CURLOPT_PROXYPORT, proxy.port)
        let kind = proxy.kind == .http ? CURLPROXY_HTTP : CURLPROXY_SOCKS5_HOSTNAME
        unsafe gr_curl_set(easy, CURLOPT_PROXYTYPE, Int(kind.rawValue))
        if let user = proxy.user {
            unsafe gr_curl_set_text(easy, CURLOPT_PROXYUSERNAME, user)
            unsafe gr_curl_set_text(easy, CURLOPT_PROXYPASSWORD, proxy.password ?? "")
        }
    }

    private func setFields(_ request: CurlRequest) -> Bool {
        // How long the body is, says the library.
        let given = request.fields.filter { !["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        for field in given {
            // An empty value is written in a way of its own.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            // What ends a line would begin another field, or another request.
            guard line.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return false }
            append(line)
        }
        let names = Set(given.map { $0.name.lowercased() })
        // What the library would add by itself.
        for name in ["Expect", "Content-Type"] where !names.contains(name.lowercased()) { append("\(name):") }
        return unsafe gr_curl_set_list(easy, CURLOPT_HTTPHEADER, list) == CURLE_OK
    }

    private func append(_ line: String) {
        if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer }
    }
}
