/// A URL by which the system alone hands an app something: `greenroom-app:IDENTIFIER/…`. It names its app, where other
/// URLs name a scheme that an app is registered for. What comes behind the identifier is between the frameworks and who
/// asks (`Wire.Invitation`). No app may open one, and none may be registered for its scheme.
package enum SystemURL {
    package static let scheme = "greenroom-app"

    /// The identifier of the app that it is for; `nil`: it is no such URL.
    package static func app(of url: String) -> Substring? {
        guard let colon = url.firstIndex(of: ":"), url[..<colon].lowercased() == scheme else { return nil }
        return url[url.index(after: colon)...].prefix { $0 != "/" }
    }
}
