package import Model
package import Wire

// What apps hear without having asked: docs/PROTOCOL.md, 2.3, 2.6, 2.7 and 2.9.

extension Callback {
    package var params: JSONObject {
        var params: JSONObject = ["seq": .int(Int64(number.rawValue))]
        switch kind {
        case .willFinishLaunching, .didFinishLaunching:
            params["options"] = options.json
            params["state"] = isBackground ? "background" : "inactive"
        case .openURL:
            params["url"] = JSONValue(options.url)
            params["sourceApplication"] = JSONValue(options.sourceApplication)
            if let scene { params["scene"] = .int(Int64(scene.scene.rawValue)) }
        case .scene:
            guard let scene else { break }
            params["scene"] = .int(Int64(scene.scene.rawValue))
            if scene.wish != 0 { params["wish"] = .int(Int64(scene.wish)) }
        case .didReceiveMemoryWarning: params["level"] = .string(memoryLevel.name)
        case .performFetch, .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents:
            params.add(window)
        case .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground, .willTerminate: break
        }
        return params
    }
}

extension LaunchOptions {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        if let url { object["url"] = .string(url) }
        if let sourceApplication { object["sourceApplication"] = .string(sourceApplication) }
        for key in service.keys { object[key] = true }
        // What a service says is its own affair: text where it is no JSON.
        if let notification {
            let parsed = try? JSONValue(parsing: Array(notification.payload.utf8))
            object[notification.key] = parsed ?? .string(notification.payload)
        }
        return .object(object)
    }
}

extension JSONObject {
    /// What a callback says that opens a window.
    fileprivate mutating func add(_ window: OpenWindow?) {
        guard let window else { return }
        self["window"] = .int(Int64(clamping: window.id.rawValue))
        switch window.kind {
        case .fetch: break
        case .sessionEvents(let session, let authentication):
            self["session"] = .string(session)
            self["authentication"] = .bool(authentication)
        case .refresh(let identifier), .processing(let identifier):
            self["identifier"] = .string(identifier)
            self["kind"] = .string(window.kind.service.name)
        case .service(let wake):
            self["service"] = .string(wake.service)
            self["kind"] = .string(wake.window)
            self["payload"] = .string(wake.payload)
        }
    }
}

extension Expiration {
    /// Of `tasksExpire`.
    package var params: JSONValue {
        [
            "tasks": .array(tasks.compactMap { Int64(exactly: $0.rawValue) }.map(JSONValue.int)),
            "round": .int(Int64(round)), "remaining": .double(left.seconds),
        ]
    }
}

extension WindowID {
    /// Of `windowExpires`.
    package func params(left: Span) -> JSONValue {
        ["window": .int(Int64(clamping: rawValue)), "remaining": .double(max(0, left.seconds))]
    }
}

extension DeviceConditions {
    /// Of `systemChanged`.
    package var params: JSONValue {
        var settings: JSONObject = [:]
        for setting in self.settings { settings[setting.key] = .string(setting.value) }
        var stores: JSONObject = [:]
        for store in self.stores { stores[store.name] = .string(String(UInt64(bitPattern: store.stamp), radix: 16)) }
        return [
            "settings": .object(settings), "locale": .string(locale), "timeZone": .string(timeZone),
            "time": [
                "day": .int(time.day), "utcOffset": .int(Int64(time.utcOffset)), "clock": .int(time.clock),
            ],
            "screen": [
                "brightness": .double(Double(screen.brightness) / 100), "external": .int(Int64(screen.external)),
            ],
            "battery": ["level": .double(Double(battery.percent) / 100), "state": .string(battery.state.name)],
            "network": .string(network.name), "backgroundRefresh": .bool(refreshes), "lowPower": .bool(isLowPower),
            "thermalState": .string(thermalState.name), "orientation": .string(orientation.name),
            "stores": .object(stores), "protectedData": .string(protectedData.name),
            "screenshots": .int(screenshots), "memoryRecoveries": .int(memoryRecoveries),
        ]
    }
}
