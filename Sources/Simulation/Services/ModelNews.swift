internal import Model

/// What the logic of each service was told last of apps and of the device. It is looked at after every step, and lies
/// beside the services: to read it inside one would copy the whole service.
struct ModelNews {
    private struct Service {
        /// By the app's place.
        var apps: [ModelShell.Told?] = []
        var conditions: ServiceModelConditions?
        /// How many events the Core had been told when this service heard of all its apps.
        var seen: Int?
    }

    private var services: [Service] = []

    /// Whether that is anything new of an app; it counts as told from now on.
    mutating func note(_ news: ModelShell.Told, _ s: Int, _ place: Int) -> Bool {
        while services.count <= s { services.append(Service()) }
        while services[s].apps.count <= place { services[s].apps.append(nil) }
        guard services[s].apps[place] != news else { return false }
        services[s].apps[place] = news
        return true
    }

    mutating func note(_ conditions: ServiceModelConditions, _ s: Int) -> Bool {
        while services.count <= s { services.append(Service()) }
        guard services[s].conditions != conditions else { return false }
        services[s].conditions = conditions
        return true
    }

    /// Whether nothing can have changed of its apps since it heard of them.
    func isCurrent(_ s: Int, at events: Int) -> Bool { s < services.count && services[s].seen == events }

    /// It has an app that it may not have heard of.
    mutating func isToLook(_ s: Int) {
        guard s < services.count else { return }
        services[s].seen = nil
    }

    /// An app that is told anew, whatever it was told before.
    mutating func forget(_ s: Int, _ place: Int) {
        guard s < services.count else { return }
        services[s].seen = nil
        if place < services[s].apps.count { services[s].apps[place] = nil }
    }

    /// As one that was told nothing.
    mutating func forget(_ s: Int) {
        guard s < services.count else { return }
        services[s] = Service()
    }

    mutating func heardAll(_ s: Int, at events: Int) {
        while services.count <= s { services.append(Service()) }
        services[s].seen = events
    }
}
