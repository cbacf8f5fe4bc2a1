"""A weekly audit by Airflow: put this file into the DAG folder and change FOLDER.

The exit status decides: 0 done; 1 a criterion failed, 2 the spec is wrong, 3 the data
is wrong, where another try would come to the same; 4 files or limits and 5 in use,
which are worth another try. Any but 0 fails the task.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from airflow import DAG
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator

FOLDER = "/srv/audit"

#: Two more tries, ten minutes apart, for what another try can put right. What is printed is the
#: summary of the run as JSON, in one line: it stands in the log and, where the audit passed, is
#: what the task hands on (XCom). It names the run and every criterion that failed.
AUDIT = """
mkdir -p runs
for try in 1 2 3; do
  status=0
  evalreport run audit.yaml -o runs --json || status=$?
  case $status in 4|5) test $try = 3 || sleep "${AUDIT_PAUSE:-600}" ;; *) break ;; esac
done
exit $status
"""
HISTORY = "evalreport history runs --html site && evalreport prune runs --keep 52"

with DAG(
    dag_id="classifier_audit",
    schedule="0 6 * * 1",
    start_date=datetime(2026, 1, 5),  # noqa: DTZ001 - Airflow reads it in its own zone
    catchup=False,
    max_active_runs=1,
) as dag:
    audit = BashOperator(
        task_id="audit",
        bash_command=AUDIT,
        cwd=FOLDER,
        retries=0,
        execution_timeout=timedelta(hours=2),
    )
    history = BashOperator(
        task_id="history",
        bash_command=HISTORY,
        cwd=FOLDER,
        trigger_rule="all_done",
    )
    # Airflow judges a run by its last tasks. The history is made whatever the audit came to, so
    # a task behind both says how the audit ended: it succeeds only where both did.
    outcome = EmptyOperator(task_id="outcome")
    audit >> history >> outcome
    audit >> outcome
