package import Model
package import PolicyCore

/// What a process does where no script says it: real code, in this process. Called by the device in virtual time, one
/// call at a time; what it asks for meanwhile goes through `Device.request` and `Device.addTimer`.
package protocol Program: AnyObject {
    /// Calls the delegate method. It has returned in no time, or it takes a while, or it never returns.
    func call(_ callback: Callback) -> CallbackOutcome
    /// A timer of the app is due. Never called while the app is frozen: then it is called once the app runs again.
    func timerFired(_ timer: UInt64)
    /// The answer to a request.
    func answered(_ request: RequestID, _ reply: AppReply)
    /// The time for these background tasks is nearly over.
    func expired(_ expiration: Expiration)
    /// The time for what the app was woken for is nearly over.
    func windowExpired(_ window: WindowID)
    /// What of the device apps are told of, all of it: at launch, and whenever something of it has changed.
    func told(_ conditions: DeviceConditions)
    /// A service that runs by the logic of a real one says something.
    func told(_ service: String, _ words: String)
    /// The system wants a picture of the app.
    func takeSnapshot()
    /// The process is gone; nothing of it runs any more.
    func ended(_ status: ExitStatus)
}

package enum CallbackOutcome: Hashable, Sendable {
    case returned(after: Span)
    case hangs
}
