internal import Model

// What services ask each other, by way of the daemon.
extension Device {
    func ask(_ name: String, _ words: String, _ number: UInt64, by s: Int) {
        let asking = ModelShell.Asking(service: name, words: words, number: number)
        queue.insert(.service(s, life: services[s].life, .asks(asking)), at: now + random.draw(costs.message))
    }

    /// It has come to the daemon, which hands it on.
    func relay(_ asking: ModelShell.Asking, _ s: Int) {
        guard daemon == .running, services[s].presence == .here, let shell = services[s].shell else { return }
        let asker = ModelShell.Asker(service: s, life: services[s].life, number: asking.number)
        guard type(of: shell.logic).asks.contains(asking.service), let t = service(named: asking.service),
            services[t].shell != nil
        else { return answer(asker, .refused("there is no such service, or it may not be asked")) }
        let from = services[s].script.declaration.name
        services[t].shell?.waitingAskers.append((asker, from, asking.words))
        if services[t].presence == .here { hearAskers(t) } else { startIfNeeded(t) }
    }

    /// It is there.
    func hearAskers(_ s: Int) {
        let waiting = services[s].shell?.waitingAskers ?? []
        services[s].shell?.waitingAskers = []
        for (asker, from, words) in waiting {
            let number = nextRequest
            nextRequest += 1
            services[s].shell?.askers[number] = asker
            tellLogic(s, .asked(number: number, by: from, words))
        }
    }

    func reply(_ number: UInt64, _ reply: ServiceModelReply, _ s: Int) {
        guard let asker = services[s].shell?.askers.removeValue(forKey: number) else { return }
        answer(asker, reply)
    }

    /// It has died, and answers nothing any more.
    func disappointAskers(_ s: Int) {
        let askers = services[s].shell?.askers ?? [:]
        services[s].shell?.askers = [:]
        for (_, asker) in askers.sorted(by: { $0.key < $1.key }) { answer(asker, .ended) }
    }

    private func answer(_ asker: ModelShell.Asker, _ reply: ServiceModelReply) {
        guard daemon == .running else { return }
        queue.insert(
            .service(asker.service, life: asker.life, .replied(asker.number, reply)),
            at: now + random.draw(costs.message))
    }
}
