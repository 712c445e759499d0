package import Model

/// Which app has which identifier: to find one costs the same with ten as with ten thousand apps. It follows from the
/// apps, so checkpoints do not hold it.
struct AppNames: Sendable {
    private var places: [AppIdentifier: AppIndex] = [:]
    /// So many of the apps are in it. None ever leaves its place, or gets another identifier.
    private var count = 0

    /// Whether it answers for all of them: after a checkpoint was read it does not until the next event.
    func isComplete(for apps: [App]) -> Bool { count == apps.count }

    mutating func learn(_ apps: [App]) {
        while count < apps.count {
            let identifier = apps[count].manifest.identifier
            // The first one stands, in a damaged checkpoint too.
            if places[identifier] == nil { places[identifier] = apps[count].index }
            count += 1
        }
    }

    func place(of identifier: AppIdentifier) -> AppIndex? { places[identifier] }
}

extension System {
    /// The app with this identifier, whether or not it is installed.
    package func known(_ identifier: AppIdentifier) -> AppIndex? {
        if names.isComplete(for: apps) { return names.place(of: identifier) }
        for i in apps.indices where apps[i].manifest.identifier == identifier { return apps[i].index }
        return nil
    }

    /// Whether an app is found without a look at the others.
    package var findsAppsByName: Bool { names.isComplete(for: apps) }

    package func index(of identifier: AppIdentifier) -> AppIndex? {
        guard let index = known(identifier), apps[Int(index.rawValue)].isInstalled else { return nil }
        return index
    }

    /// Whether this is what is known of an installed app: to install it would change nothing.
    package func isInstalled(_ manifest: AppManifest) -> Bool {
        guard let index = index(of: manifest.identifier) else { return false }
        return apps[Int(index.rawValue)].manifest == Self.inOneCase(manifest)
    }

    /// Schemes are the same in capitals (RFC 3986, 3.1).
    static func inOneCase(_ manifest: AppManifest) -> AppManifest {
        var result = manifest
        result.urlSchemes = manifest.urlSchemes.map { $0.lowercased() }
        return result
    }
}
