internal import Model
internal import PolicyCore

/// What is said to services from outside the device's scripts: by people, other machines, tools, and the code of an
/// app that waits for an answer.
extension Device {
    /// A person or another machine says something to a service.
    func tell(_ name: String, _ words: String) {
        guard let s = service(named: name), let shell = services[s].shell else {
            return violate("\(name) is no service that decides as a real one")
        }
        if let wrong = type(of: shell.logic).misunderstandingFromOutside(of: words) {
            return violate("\(name) does not know what “\(words)” means: \(wrong)")
        }
        let isAlive = services[s].isAlive
        let acts = services[s].shell?.logic.hear(words, isAlive: isAlive, at: now) ?? []
        if isAlive { afterNews(acts, s) }
    }

    /// A tool wants something of a service: it is started where it does not run.
    ///
    /// - Returns: whether that takes a while.
    package func wakeService(_ name: String) -> Bool {
        guard let s = service(named: name), services[s].shell != nil, daemon == .running,
            services[s].presence != .here
        else { return false }
        services[s].isWanted = true
        startIfNeeded(s)
        return true
    }

    /// What a service would tell a tool that asks.
    package func answer(of name: String, to question: String) -> String? {
        service(named: name).flatMap { services[$0].shell?.logic.answer(question, at: now) }
    }

    /// What a service would answer the code of an app at once, where that changes nothing: for a main thread that
    /// waits for it.
    package func answer(of name: String, to words: String, of place: Int) -> String? {
        service(named: name).flatMap {
            services[$0].shell?.logic.answer(words, of: apps[place].script.manifest.identifier, at: now)
        }
    }
}
