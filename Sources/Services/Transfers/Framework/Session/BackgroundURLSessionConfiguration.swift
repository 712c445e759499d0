public import Foundation
public import FoundationNetworking

// Like Foundation's own class, it is changed before it is shared: a session makes a copy.
/// What `URLSessionConfiguration.background(withIdentifier:)` makes: the configuration of a session whose transfers the
/// transfer service performs, whatever becomes of this process.
///
/// It has what Foundation's configurations on Linux lack. Set everything before a session is made of it.
public final class BackgroundURLSessionConfiguration: URLSessionConfiguration, @unchecked Sendable {
    struct Extras {
        var sendsLaunchEvents = true
        var waitsForConnectivity = true
        var allowsExpensive = true
        var allowsConstrained = true
        var idleMode = false
        var container: String?
        var minimumTLS: tls_protocol_version_t?
        var trustRoots: [String] = []
    }

    var extras = Extras()
    /// The client that a session made of it belongs to; `nil` for the process's own.
    package var client: TransferClient?
    /// What a session that holds this copy is attached to.
    var core: SessionCore?
    /// An initializer of ours will adopt the session that Foundation makes of this copy.
    var isClaimed = false

    // Foundation deprecates it, because its own configurations come from `default`. A subclass has no other way.
    @available(*, deprecated)
    override init() { super.init() }

    /// A new configuration with an identifier.
    static func make(_ identifier: String) -> BackgroundURLSessionConfiguration {
        let configuration = plain(BackgroundURLSessionConfiguration.self)
        configuration.identifier = identifier
        // As on Apple's systems: no answer of a background session is kept in a cache.
        configuration.urlCache = nil
        return configuration
    }

    private static func plain<Plain: PlainInitializer>(_ type: Plain.Type) -> Plain { type.init() }

    /// Every session has a copy of its own.
    public override func copy(with zone: NSZone?) -> Any { duplicate() }

    func duplicate() -> BackgroundURLSessionConfiguration {
        let copy = Self.make(identifier ?? "")
        copy.requestCachePolicy = requestCachePolicy
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.networkServiceType = networkServiceType
        copy.allowsCellularAccess = allowsCellularAccess
        copy.isDiscretionary = isDiscretionary
        copy.connectionProxyDictionary = connectionProxyDictionary
        copy.httpShouldSetCookies = httpShouldSetCookies
        copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        copy.httpCookieStorage = httpCookieStorage
        copy.urlCredentialStorage = urlCredentialStorage
        copy.urlCache = urlCache
        copy.extras = extras
        copy.client = client
        return copy
    }

    /// Custom protocols are not available to background sessions: what is set here is forgotten. Should a task
    /// of such a session ever begin within this process, this ends it loudly.
    public override var protocolClasses: [AnyClass]? {
        get { [RefusingURLProtocol.self] }
        set {}
    }

    /// The container into which an extension's downloads would go. Kept, without effect: there are no extensions.
    public override var sharedContainerIdentifier: String? {
        get { extras.container }
        set { extras.container = newValue }
    }

    /// Whether connections stay open while the app is in the background. The service keeps them open by itself.
    public override var shouldUseExtendedBackgroundIdleMode: Bool {
        get { extras.idleMode }
        set { extras.idleMode = newValue }
    }

    /// Certificates (PEM) that servers are trusted by, in place of the machine's; empty for the machine's.
    public var trustRoots: [String] {
        get { extras.trustRoots }
        set { extras.trustRoots = newValue }
    }
}

/// Reaches an initializer that is deprecated where it stands.
private protocol PlainInitializer { init() }
extension BackgroundURLSessionConfiguration: PlainInitializer {}

// Foundation on Linux declares some of these and marks them unavailable; these come before them. What they say of
// networks is heeded in the foreground too, and a configuration of Foundation's is made to remember it
// (ForegroundURLSessionConfiguration); the others are of background sessions only.
extension URLSessionConfiguration {
    /// A configuration for transfers that go on while the app is suspended, killed or crashed.
    ///
    /// - Parameter identifier: names the session. An app that is launched again gets its transfers back by it.
    public class func background(withIdentifier identifier: String) -> BackgroundURLSessionConfiguration {
        guard !identifier.isEmpty else { refuse("The identifier of a background session must not be empty") }
        return .make(identifier)
    }

    fileprivate var backgroundExtras: BackgroundURLSessionConfiguration.Extras {
        get { (self as? BackgroundURLSessionConfiguration)?.extras ?? .init() }
        set { (self as? BackgroundURLSessionConfiguration)?.extras = newValue }
    }

    /// Whether the app is woken or launched when its transfers are done, or a server wants to know who asks.
    public var sessionSendsLaunchEvents: Bool {
        get { backgroundExtras.sendsLaunchEvents }
        set { backgroundExtras.sendsLaunchEvents = newValue }
    }

    /// What a configuration that is not for the background says of networks.
    fileprivate var foregroundWishes: ForegroundURLSessionConfiguration.Wishes {
        get { ForegroundURLSessionConfiguration.wishes(of: self) }
        set { ForegroundURLSessionConfiguration.set(newValue, of: self) }
    }

    private var isBackground: Bool { self is BackgroundURLSessionConfiguration }

    /// Whether transfers may use networks that cost money.
    public var allowsExpensiveNetworkAccess: Bool {
        get { isBackground ? backgroundExtras.allowsExpensive : foregroundWishes.allowsExpensive }
        set {
            backgroundExtras.allowsExpensive = newValue
            foregroundWishes.allowsExpensive = newValue
        }
    }

    /// Whether transfers may use networks on which the user saves data.
    public var allowsConstrainedNetworkAccess: Bool {
        get { isBackground ? backgroundExtras.allowsConstrained : foregroundWishes.allowsConstrained }
        set {
            backgroundExtras.allowsConstrained = newValue
            foregroundWishes.allowsConstrained = newValue
        }
    }

    /// The oldest version of TLS that is spoken; 1.2 if nothing is set.
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { backgroundExtras.minimumTLS ?? .TLSv12 }
        set { backgroundExtras.minimumTLS = newValue }
    }
}

/// Carries a property that cannot stand in an extension of the class: with the one that Foundation marks unavailable it
/// has name and type in common, and the compiler takes one for the other when it reads a subclass's table of methods.
public protocol ConnectivityWaiting: URLSessionConfiguration {}
extension URLSessionConfiguration: ConnectivityWaiting {}

extension ConnectivityWaiting {
    /// Whether tasks wait for a network, instead of failing where there is none that they may use. Background sessions
    /// always wait; as on Apple's systems they ignore this.
    public var waitsForConnectivity: Bool {
        get {
            self is BackgroundURLSessionConfiguration
                ? backgroundExtras.waitsForConnectivity : foregroundWishes.waitsForConnectivity
        }
        set {
            backgroundExtras.waitsForConnectivity = newValue
            foregroundWishes.waitsForConnectivity = newValue
        }
    }
}
