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

    /// The code of an app asks a service, and waits on its main thread: what it takes until the service has answered
    /// happens now, without time passing.
    ///
    /// - Returns: what the app hears by that, in order, without what it has to answer: that comes by the usual way.
    ///   `nil`: there is nobody to ask.
    package func askAtOnce(_ name: String, _ words: String, _ place: Int) -> [String]? {
        guard let s = service(named: name), daemon == .running, bringAtOnce(s),
            let (client, _) = say(words, place, to: s)
        else { return nil }
        services[s].shell?.wanting.insert(client)
        speak(client, s)
        while services[s].shell?.orders.isEmpty == false { takeOrder(s) }
        guard let shell = services[s].shell,
            let connection = shell.connections.first(where: {
                $0.place == client.place && $0.generation == client.generation
            })?.number
        else { return nil }
        let heard = shell.unheard.filter { $0.connection == connection }
        services[s].shell?.unheard.removeAll { $0.connection == connection }
        for message in heard {
            services[s].shell?.heardBefore.insert(message)
            apps[place].heard.append(message.words)
            queue.insert(
                .service(s, life: services[s].life, .heard(message)), at: now + random.draw(costs.message))
        }
        return heard.map(\.words)
    }

    /// Whoever waits for it waits for its start, too.
    private func bringAtOnce(_ s: Int) -> Bool {
        guard services[s].presence != .here else { return true }
        services[s].isWanted = true
        startIfNeeded(s)
        if services[s].presence == .starting { startService(s) }
        return services[s].presence == .here
    }
}
