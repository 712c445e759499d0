internal import LocationCore
internal import LocationModel
internal import LocationTranslation
internal import LocationWire
internal import Model
internal import ServiceKit
internal import Wire

extension Service {
    func perform(_ effect: LocationEffect) {
        switch effect {
        case .store(let record): write(record)
        case .erase(let app): erase(app)
        case .reply(let request, let reply): answer(request, .success(reply))
        case .refuse(let request, let refusal): answer(request, .failure(refusal))
        case .tell(let connection, let number, let news): tell(connection, number, news)
        case .fixes(let connection, let fixes): notify(connection, .fixes, LocationFixes(fixes: fixes).json)
        case .failed(let connection, let code, let sentence):
            notify(connection, .failed, LocationFailed(code: code, message: sentence).json)
        case .heading(let connection, let heading): notify(connection, .heading, heading.json)
        case .surround(let connection, let surroundings): notify(connection, .surroundings, surroundings.json)
        case .hold(let app, let process, let hold, let because): self.hold(app, process, hold, because)
        case .drop(let app, let process, let hold):
            broker.request(.drop, params(app, process, hold)) { _ in }
        case .stopped(let order): stops.done(order.rawValue)
        case .wake(let app, let upTo, let because): wake(app, upTo, because)
        case .note(let app, let sentence):
            broker.tell(.note, ["app": .string(app.rawValue), "sentence": .string(String(sentence.prefix(200)))])
        case .crossed(let app, let crossing, let asker): tell(asker, PlaceCrossing(app, crossing), app)
        case .power(let source, let isOn): receivers.power(source, isOn)
        case .users(let apps):
            broker.tell(.satellites, ["apps": .array(apps.map { .string($0.rawValue) })])
        case .compass(let isOn): receivers.powerCompass(isOn)
        }
    }

    private func notify(_ connection: ConnectionID, _ message: LocationClientMessage, _ params: JSONValue) {
        peers[connection.rawValue]?.send(.notification(method: message.rawValue, params: params))
    }

    private func tell(_ connection: ConnectionID, _ number: NewsNumber, _ news: LocationNews) {
        let told = LocationTold(seq: number, news: news)
        peers[connection.rawValue]?.request(told.message.rawValue, told.json, number: number) { [weak self] result in
            // An app that does not understand it would not the next time, either.
            if case .failure(let error) = result { self?.note("news were refused: \(error.message)") }
            self?.post(.answered(connection, number))
        }
    }

    private func tell(_ asker: String, _ crossing: PlaceCrossing, _ app: AppIdentifier) {
        broker.ask(asker, PlaceMethod.placeCrossed.rawValue, crossing.json) { [weak self] result in
            if case .failure(let error) = result { self?.note("\(asker) was told of a crossing: \(error.message)") }
            self?.post(.crossingTold(app, crossing.number, CrossingAnswer(result)))
        }
    }

    private func params(_ app: AppIdentifier, _ process: Int64, _ hold: LocationHold) -> JSONValue {
        ["app": .string(app.rawValue), "process": .int(process), "hold": .string(hold.rawValue)]
    }

    private func hold(_ app: AppIdentifier, _ process: Int64, _ hold: LocationHold, _ because: String) {
        var object = params(app, process, hold).object ?? [:]
        object["because"] = .string(because)
        broker.request(.hold, .object(object)) { [weak self] result in
            switch result {
            case .success: self?.post(.held(app, hold, .allowed))
            case .failure: self?.post(.held(app, hold, .refused))
            }
        }
    }

    private func wake(_ app: AppIdentifier, _ number: NewsNumber, _ because: String) {
        let params: JSONValue = [
            "app": .string(app.rawValue), "window": .string(LocationWindow.moved.rawValue),
            "because": .string(because), "payload": .string("\(number)"),
        ]
        broker.request(.wake, params) { [weak self] result in
            switch result {
            case .success: self?.post(.woken(app, number, .allowed))
            case .failure(let error): self?.post(.woken(app, number, error.code == .refused ? .notNow : .never))
            }
        }
    }
}
