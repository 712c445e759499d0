internal import Model
internal import PolicyCore
internal import Storage
internal import Wire

extension Host {
    static let schemePrefix = "scheme."

    /// What the Core is to know of an app: of the schemes that it claims, those that it has.
    func manifest(of installation: Installation) -> AppManifest? {
        var installation = installation
        installation.urlSchemes = schemes.schemes(of: installation.identifier)
        return installation.manifest(hasDisplay: environment.hasDisplay)
    }

    /// Tells the Core what changes for other apps with a claim, a choice, or an app that goes.
    func redeclare(claimants affected: [String]) {
        for app in apps where affected.contains(app.installation.identifier) {
            guard system.app(app.index)?.isInstalled == true, let manifest = manifest(of: app.installation),
                !system.isInstalled(manifest)
            else { continue }
            post(.installed(manifest))
        }
    }

    /// Others get what an app had that goes.
    func forgetSchemes(of app: String) {
        let claims = schemes.schemes(claimedBy: app)
        schemes.forget(app)
        redeclare(claimants: claimants(of: claims))
    }

    func claimants(of schemes: [String]) -> [String] { schemes.flatMap(self.schemes.claimants) }

    /// Each scheme with the app that opens its URLs, and those that could.
    func schemeInfo(_ only: String?) -> SchemesInfo {
        let all = only.map { [$0] } ?? schemes.schemes
        return SchemesInfo(
            schemes: all.map { scheme in
                let (claimants, choice) = (schemes.claimants(of: scheme), schemes.choice(for: scheme))
                // As the Core chooses: the one that was installed last.
                let last = apps.last { schemes.schemes(of: $0.installation.identifier).contains(scheme) }
                return SchemesInfo.Scheme(
                    scheme: scheme, app: choice ?? last?.installation.identifier, isChosen: choice != nil,
                    claimants: claimants)
            })
    }
}

extension ControlSession {
    /// `default`: shows the app of a scheme, or sets it.
    func chooseDefault(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let scheme = try params.optionalString("scheme")?.lowercased()
        let takesBack = try params.bool("none", default: false)
        guard takesBack || params["app"] != nil else { return respond(id, host.schemeInfo(scheme).json) }
        guard let scheme else {
            throw .invalidParameter("scheme", "scheme must be one that an app claims, such as https")
        }
        let app = takesBack ? nil : try installation(params).identifier
        if let app, !host.schemes.claimants(of: scheme).contains(app) {
            throw RPCError(
                .refused, "\(app) does not claim \(scheme): an app names its schemes in CFBundleURLTypes or MimeType")
        }
        let (store, end) = (host.store, outcome(id))
        host.workers.run(.storage) {
            Self.result {
                try store.set(Host.schemePrefix + scheme, to: app)
                return [:]
            }
        } then: { [host] outcome in
            guard case .success = outcome else { return end(outcome) }
            host.schemes.choose(app, for: scheme)
            host.redeclare(claimants: host.claimants(of: [scheme]))
            end(.success(host.schemeInfo(scheme).json))
        }
    }
}
