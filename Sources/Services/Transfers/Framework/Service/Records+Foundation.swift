internal import Foundation
internal import FoundationNetworking
internal import TransferWire
internal import Wire

// The service's records as Foundation's values, and the other way round.

extension TransferRequestInfo {
    /// `nil` is the request of a task made from resume data, which holds it.
    init(_ request: URLRequest?, _ sessionTimeout: TimeInterval) {
        let headers = (request?.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        // Foundation's default is 60 s, which says nothing: then the session's counts.
        let timeout = request.map(\.timeoutInterval) ?? 60
        self.init(
            url: request?.url?.absoluteString ?? "", method: request?.httpMethod ?? "GET",
            headers: headers.map { WireHeader($0.key, $0.value) },
            timeout: timeout == 60 ? sessionTimeout : timeout, allowsCellular: request?.allowsCellularAccess ?? true,
            cachePolicy: request?.cachePolicy.wire ?? 0, serviceType: request?.networkServiceType.wire,
            body: (request?.httpBody).map(Array.init))
    }
}

extension URLRequest {
    init?(url text: String, method: String, headers: [WireHeader], cachePolicy: Int64) {
        guard let url = URL(string: text) else { return nil }
        self.init(url: url)
        self.cachePolicy = CachePolicy(wire: cachePolicy)
        httpMethod = method
        for header in headers { addValue(header.value, forHTTPHeaderField: header.name) }
    }

    init?(_ info: TransferTaskInfo) {
        self.init(url: info.url, method: info.method, headers: info.headers, cachePolicy: info.cachePolicy)
    }

    init?(_ info: TransferRequestInfo) {
        self.init(url: info.url, method: info.method, headers: info.headers, cachePolicy: info.cachePolicy)
        if let timeout = info.timeout { timeoutInterval = timeout }
        allowsCellularAccess = info.allowsCellular
        networkServiceType = NetworkServiceType(wire: info.serviceType)
        if let body = info.body { httpBody = Data(body) }
    }
}

extension HTTPURLResponse {
    static func make(_ info: TransferResponseInfo) -> HTTPURLResponse? {
        guard let url = URL(string: info.url) else { return nil }
        var fields: [String: String] = [:]
        for header in info.headers {
            let known = fields.keys.first { $0.caseInsensitiveCompare(header.name) == .orderedSame } ?? header.name
            fields[known] = fields[known].map { "\($0), \(header.value)" } ?? header.value
        }
        return HTTPURLResponse(
            url: url, statusCode: Int(info.status), httpVersion: info.httpVersion, headerFields: fields)
    }
}

enum TransferFailure {
    /// The error that a task ends with, with the keys that Apple's have.
    static func error(_ info: TransferErrorInfo, _ url: URL?, resumeData: Data? = nil) -> any Error {
        var details: [String: Any] = [NSLocalizedDescriptionKey: info.description]
        if let url {
            details[NSURLErrorFailingURLErrorKey] = url
            // Foundation deprecates its name for the key; programs written for Apple's systems look there.
            details["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        if let resumeData { details[URLSessionDownloadTaskResumeData] = resumeData }
        if let reason = info.reason { details[NSURLErrorBackgroundTaskCancelledReasonKey] = Int(reason) }
        let error = NSError(domain: info.domain, code: Int(info.code), userInfo: details)
        return info.domain == NSURLErrorDomain ? URLError(_nsError: error) : error
    }

    static func make(_ code: Int, _ description: String, _ url: URL?) -> any Error {
        error(TransferErrorInfo(domain: NSURLErrorDomain, code: Int64(code), description: description), url)
    }

    /// The error of a request that may not use the network that there is, for a reason of Apple's.
    static func make(
        _ code: Int, _ sentence: String, _ url: URL?, unavailable reason: NetworkAccess.Reason?
    ) -> any Error {
        let plain = make(code, sentence, url)
        return reason.map { adding(networkUnavailableReasonKey, $0.rawValue, to: plain) } ?? plain
    }

    /// Apple's name for the key; Foundation on Linux lacks it.
    private static let networkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

    /// The same error with something more in its `userInfo`.
    static func adding(_ key: String, _ value: Any, to error: any Error) -> any Error {
        let old = error as NSError
        let new = NSError(domain: old.domain, code: old.code, userInfo: old.userInfo.merging([key: value]) { $1 })
        return old.domain == NSURLErrorDomain ? URLError(_nsError: new) : new
    }
}

extension TransferSettings {
    init(_ configuration: BackgroundURLSessionConfiguration, asksBeforeDelayedRequests: Bool) {
        let extras = configuration.extras
        let headers = (configuration.httpAdditionalHeaders ?? [:]).map { WireHeader("\($0.key)", "\($0.value)") }
        let minimum: String? =
            switch extras.minimumTLS {
            case .TLSv10: "1.0"
            case .TLSv11: "1.1"
            case .TLSv12: "1.2"
            case .TLSv13: "1.3"
            case .DTLSv10, .DTLSv12, nil: nil
            }
        self.init(
            discretionary: configuration.isDiscretionary, sendsLaunchEvents: extras.sendsLaunchEvents,
            allowsCellular: configuration.allowsCellularAccess, allowsExpensive: extras.allowsExpensive,
            allowsConstrained: extras.allowsConstrained, requestTimeout: configuration.timeoutIntervalForRequest,
            resourceTimeout: configuration.timeoutIntervalForResource,
            headers: headers.sorted { ($0.name, $0.value) < ($1.name, $1.value) },
            connectionsPerHost: Int64(configuration.httpMaximumConnectionsPerHost),
            cookies: Self.cookies(configuration),
            cachePolicy: configuration.requestCachePolicy.wire,
            serviceType: configuration.networkServiceType.wire,
            proxy: TransferProxy(configuration.connectionProxyDictionary ?? [:]), tlsMinimum: minimum,
            trustRoots: extras.trustRoots, delayedRequests: asksBeforeDelayedRequests)
    }

    private static func cookies(_ configuration: URLSessionConfiguration) -> TransferCookies {
        guard configuration.httpShouldSetCookies, configuration.httpCookieStorage != nil else { return .never }
        return switch configuration.httpCookieAcceptPolicy {
        case .always: .always
        case .never: .never
        case .onlyFromMainDocumentDomain: .mainDocument
        }
    }
}

extension TransferProxy {
    /// From the dictionary of a configuration, with the keys of Apple's CFNetwork.
    init?(_ dictionary: [AnyHashable: Any]) {
        for (kind, name) in [(TransferProxyKind.http, "HTTP"), (.http, "HTTPS"), (.socks, "SOCKS")] {
            let isOn = (dictionary["\(name)Enable"] as? NSNumber)?.boolValue ?? true
            guard isOn, let host = dictionary["\(name)Proxy"] as? String,
                let port = (dictionary["\(name)Port"] as? NSNumber)?.int64Value ?? (dictionary["\(name)Port"] as? Int64)
            else { continue }
            let (user, password) = (dictionary["kCFProxyUsernameKey"], dictionary["kCFProxyPasswordKey"])
            self.init(
                kind: kind, host: host, port: port, user: (dictionary["\(name)User"] ?? user) as? String,
                password: (dictionary["\(name)Password"] ?? password) as? String)
            return
        }
        return nil
    }
}
