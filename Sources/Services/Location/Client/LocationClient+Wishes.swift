package import LocationModel
internal import LocationWire
internal import Synchronization
package import Wire

extension UpdateSettings {
    /// What serves all of them: each takes from it what it wants. `nil` if there is none.
    package static func merged(_ wishes: some Collection<UpdateSettings>) -> UpdateSettings? {
        guard let first = wishes.first else { return nil }
        return wishes.dropFirst().reduce(first) { all, one in
            UpdateSettings(
                accuracy: min(all.accuracy, one.accuracy), distanceFilter: min(all.distanceFilter, one.distanceFilter),
                activity: all.activity == one.activity ? all.activity : .other,
                pausesAutomatically: all.pausesAutomatically && one.pausesAutomatically,
                allowsBackground: all.allowsBackground || one.allowsBackground,
                // What ends where the screen does has nothing to show out of sight.
                showsIndicator: all.showsIndicator && all.allowsBackground
                    || one.showsIndicator && one.allowsBackground)
        }
    }
}

extension LocationClient {
    package typealias Done = @Sendable (Result<Void, RPCError>) -> Void

    /// What is asked for without an answer of its own.
    private func tell(_ method: LocationClientMethod, _ params: JSONValue, _ completion: @escaping Done = { _ in }) {
        request(method, params) { completion($0.map { _ in }) }
    }

    // MARK: Standard updates

    /// Something begins to want standard updates. The service is asked also where others want the same already: it may
    /// have paused, or refuse them now.
    ///
    /// - Parameter completion: called on any thread.
    package func begin(_ settings: UpdateSettings, for number: Int64, completion: @escaping Done) {
        let merged = state.withLock { state in
            state.wishes[number] = settings
            return UpdateSettings.merged(state.wishes.values)
        }
        if let merged { tell(.update, merged.json, completion) }
    }

    /// It wants them otherwise.
    ///
    /// - Parameter completion: called on any thread, if the service had to be asked.
    package func change(_ settings: UpdateSettings, for number: Int64, completion: @escaping Done) {
        let changed = state.withLock { state -> UpdateSettings? in
            guard state.wishes[number] != nil else { return nil }
            let before = UpdateSettings.merged(state.wishes.values)
            state.wishes[number] = settings
            let merged = UpdateSettings.merged(state.wishes.values)
            return merged == before ? nil : merged
        }
        if let changed { tell(.update, changed.json, completion) }
    }

    /// It does not want them any longer.
    package func end(_ number: Int64) {
        let (isLast, changed) = state.withLock { state -> (Bool, UpdateSettings?) in
            let before = UpdateSettings.merged(state.wishes.values)
            guard state.wishes.removeValue(forKey: number) != nil else { return (false, nil) }
            let merged = UpdateSettings.merged(state.wishes.values)
            return (merged == nil, merged == before ? nil : merged)
        }
        if isLast { tell(.stopUpdates, [:]) }
        if let changed { tell(.update, changed.json) }
    }

    /// Whether anything wants standard updates.
    package var hasWishes: Bool { state.withLock { !$0.wishes.isEmpty } }

    /// Asks again for what a service refused that did not let the app know where the device is.
    func restate() {
        let (merged, wantsHeading) = state.withLock { state in
            (UpdateSettings.merged(state.wishes.values), !state.headings.isEmpty)
        }
        if let merged { tell(.update, merged.json) }
        if wantsHeading { tell(.heading, ["on": true]) }
    }

    /// One fix.
    ///
    /// - Parameter completion: called on any thread.
    package func once(_ settings: UpdateSettings, completion: @escaping @Sendable (Result<Fix, RPCError>) -> Void) {
        request(.once, settings.json) { [self] result in
            do throws(RPCError) {
                let fix = try Fix(json: try result.get().object("fix"))
                note(fix)
                completion(.success(fix))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// The newest one that the app knows.
    func note(_ fix: Fix) {
        state.withLock { state in
            guard fix.time >= state.surroundings?.lastFix?.time ?? -.infinity else { return }
            state.surroundings?.lastFix = fix
        }
    }

    // MARK: Headings

    /// - Parameter completion: called on any thread, if the service had to be asked.
    package func wantHeading(_ isWanted: Bool, for number: Int64, completion: @escaping Done = { _ in }) {
        let change = state.withLock { state -> Bool? in
            let was = !state.headings.isEmpty
            if isWanted { state.headings.insert(number) } else { state.headings.remove(number) }
            // Also where others want it already: the answer says whether there is a compass.
            return isWanted ? true : was && state.headings.isEmpty ? false : nil
        }
        if let change { tell(.heading, ["on": .bool(change)], completion) }
    }

    // MARK: What outlives the process

    package func monitorSignificantChanges(_ isOn: Bool, completion: @escaping Done) {
        tell(.significant, ["on": .bool(isOn)], completion)
    }

    package func monitorVisits(_ isOn: Bool, completion: @escaping Done) {
        tell(.visits, ["on": .bool(isOn)], completion)
    }

    /// The app's regions, as far as they are known: also what the service was asked for just now.
    package var regions: [Region] {
        state.withLock { state in
            let known = state.surroundings?.regions.filter { state.changes[$0.identifier] == nil } ?? []
            return known + state.changes.values.compactMap(\.region)
        }
    }

    package func monitor(_ region: Region, completion: @escaping Done) {
        let count = begin(region.identifier, region)
        tell(.monitor, region.json) { [self] result in
            settle(region.identifier, count, isDone: (try? result.get()) != nil)
            completion(result)
        }
    }

    package func unmonitor(_ identifier: String, completion: @escaping Done = { _ in }) {
        let count = begin(identifier, nil)
        tell(.unmonitor, ["identifier": .string(identifier)]) { [self] result in
            settle(identifier, count, isDone: (try? result.get()) != nil)
            completion(result)
        }
    }

    /// - Returns: which change of this region it is.
    private func begin(_ identifier: String, _ region: Region?) -> Int {
        state.withLock { state in
            let count = (state.changes[identifier]?.count ?? 0) + 1
            state.changes[identifier] = Change(region: region, count: count)
            return count
        }
    }

    private func settle(_ identifier: String, _ count: Int, isDone: Bool) {
        state.withLock { state in
            // A later change of the same region is still under way.
            guard let change = state.changes[identifier], change.count == count else { return }
            state.changes[identifier] = nil
            guard isDone else { return }
            state.surroundings?.regions.removeAll { $0.identifier == identifier }
            if let region = change.region { state.surroundings?.regions.append(region) }
        }
    }

    /// Where the device is in relation to a region of the app.
    ///
    /// - Parameter completion: called on any thread.
    package func determineState(
        of identifier: String, completion: @escaping @Sendable (Result<RegionState, RPCError>) -> Void
    ) {
        request(.state, ["identifier": .string(identifier)]) { result in
            do throws(RPCError) {
                completion(.success(try LocationStateAnswer(json: try result.get()).state))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
