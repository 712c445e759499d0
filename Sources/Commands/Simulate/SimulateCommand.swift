package import ArgumentParser
internal import Wire

/// `greenroom simulate`
package struct SimulateCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Let something happen to the device.",
        subcommands: [
            SimulateCall.self, SimulateSMS.self, SimulateAlert.self, SimulateSleep.self, SimulateWake.self,
            SimulateReboot.self, SimulateMemoryWarning.self, SimulateMemoryPressure.self, SimulateNetwork.self,
            SimulateBattery.self, SimulateLocale.self, SimulateTimeZone.self, SimulateClock.self, SimulateScreen.self,
            SimulateSettings.self, SimulateStore.self, SimulateFetch.self, SimulateLowPower.self, SimulateThermal.self,
            SimulateOrientation.self, SimulateScreenshot.self, SimulateHeadset.self, SimulateRinger.self,
            SimulateRoute.self,
            SimulateInterruption.self, SimulateLocation.self, SimulateCell.self,
        ])

    package init() {}
}

/// One thing that happens to the device.
protocol Simulation: Verb {
    var event: SimulatedEvent { get }
    var waiting: WaitOption { get }
}

extension Simulation {
    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(
            .simulate, ["event": .string(event.rawValue), "wait": .bool(!waiting.noWait)])
    }
}

struct SimulateCall: Simulation {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "A call comes in; or what becomes of it.")

    enum Action: String, EnumerableFlag {
        case accept, decline, end

        static func help(for value: Action) -> ArgumentHelp? {
            switch value {
            case .accept: "The user accepts the call that rings."
            case .decline: "The user declines it, or the caller gives up."
            case .end: "The accepted call ends."
            }
        }
    }

    @Flag(exclusivity: .exclusive) var action: Action?
    @OptionGroup var waiting: WaitOption

    var event: SimulatedEvent {
        switch action {
        case nil: .call
        case .accept: .callAccept
        case .decline: .callDecline
        case .end: .callEnd
        }
    }
}

struct SimulateSMS: Simulation {
    static let configuration = CommandConfiguration(
        commandName: "sms", abstract: "An SMS is shown over the screen; or what the user does with it.")

    enum Action: String, EnumerableFlag {
        case open, dismiss

        static func help(for value: Action) -> ArgumentHelp? {
            switch value {
            case .open: "The user opens the SMS."
            case .dismiss: "The user dismisses it."
            }
        }
    }

    @Flag(exclusivity: .exclusive) var action: Action?
    @OptionGroup var waiting: WaitOption

    var event: SimulatedEvent {
        switch action {
        case nil: .sms
        case .open: .smsOpen
        case .dismiss: .smsDismiss
        }
    }
}

struct SimulateAlert: Simulation {
    static let configuration = CommandConfiguration(
        commandName: "alert", abstract: "An alert is shown over the screen; or dismissed.")

    @Flag(help: "The user dismisses the alert.") var dismiss = false
    @OptionGroup var waiting: WaitOption

    var event: SimulatedEvent { dismiss ? .alertDismiss : .alert }
}

struct SimulateSleep: Simulation {
    static let configuration = CommandConfiguration(commandName: "sleep", abstract: "The device goes to sleep.")

    @OptionGroup var waiting: WaitOption
    var event: SimulatedEvent { .sleep }
}

struct SimulateWake: Simulation {
    static let configuration = CommandConfiguration(commandName: "wake", abstract: "The device wakes.")

    @OptionGroup var waiting: WaitOption
    var event: SimulatedEvent { .wake }
}

struct SimulateReboot: Simulation {
    static let configuration = CommandConfiguration(
        commandName: "reboot", abstract: "The device restarts.",
        discussion: "Every app ends; those that are launched at boot are launched.")

    @OptionGroup var waiting: WaitOption
    var event: SimulatedEvent { .reboot }
}

struct SimulateMemoryWarning: Simulation {
    static let configuration = CommandConfiguration(
        commandName: "memory-warning", abstract: "Every app that runs is warned of low memory.")

    @OptionGroup var waiting: WaitOption

    var event: SimulatedEvent { .memoryWarning }
}

struct SimulateMemoryPressure: Simulation {
    static let configuration = CommandConfiguration(
        commandName: "memory-pressure", abstract: "Memory seems short, until it is over.",
        discussion: """
            What can be taken without asking is taken, and apps that run are warned one after another. Nobody ends: \
            apps end for memory only when it really runs out.
            """)

    enum Level: String, ExpressibleByArgument, CaseIterable {
        case warning, critical, normal
    }

    @Argument(help: "warning, critical, or normal to end it.") var level = Level.warning
    @OptionGroup var waiting: WaitOption

    var event: SimulatedEvent {
        switch level {
        case .warning: .memoryPressure
        case .critical: .memoryPressureCritical
        case .normal: .memoryPressureOver
        }
    }
}
